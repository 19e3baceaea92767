"""A folder of source, and the cds that a client of somebody else's meets there.

Nothing of the outer environment reaches it but what programs need to start: settings of whoever runs the tests must not
change what is tested.
"""

import os
import pathlib
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

CDS = os.path.abspath(os.environ["CDS_BIN"])

# Longer than any machine needs.
PATIENCE = 180

FILES = {
    "shop/cart.py": '''\
from shop.money import Money, parse

class Cart:
    """Holds what a customer wants."""

    def __init__(self):
        self.items = []

    def add(self, item, count=1):
        """Adds an item; retries when the stock is locked."""
        for attempt in range(3):
            self.items.append((item, count))

    def total(self):
        return Money(sum(parse(price) for price, _ in self.items))

class GiftCart(Cart):
    def total(self):
        return Money(0)
''',
    "shop/money.py": '''\
class Money:
    def __init__(self, cents):
        self.cents = cents

def parse(text):
    return int(text)
''',
    "shop/retry.ts": '''\
export function retry<T>(work: () => T, times = 3): T {
  for (let i = 0; i < times; i++) {
    try { return work(); } catch (error) { if (i + 1 === times) throw error; }
  }
  throw new Error('never');
}
''',
    "tests/test_cart.py": '''\
from shop.cart import Cart

def test_total():
    assert Cart().total().cents == 0
''',
    "README.md": "# Shop\n\nHow carts are added up.\n",
}


def many(count):
    """Files enough that indexing them takes a while."""
    def text(i):
        return "".join(f"def f{i}_{j}(value):\n    return g{j}(value)\n" for j in range(60))
    return {f"many/{i % 97}/m{i}.py": text(i) for i in range(count)}


class Project:
    """A folder with these files, gone when it is left."""

    def __init__(self, files, name="project"):
        self.outer = tempfile.TemporaryDirectory(prefix="cds-outside-")
        self.root = pathlib.Path(self.outer.name).resolve() / name
        self.home = self.root.parent / "home"
        self.home.mkdir()
        for path, text in files.items():
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    @property
    def environment(self):
        kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
        return {**kept, "HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / ".config")}

    def cds(self, *arguments):
        """What a command prints; it must succeed."""
        done = subprocess.run(
            [CDS, *arguments], cwd=self.root, env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=PATIENCE,
        )
        if done.returncode != 0:
            raise AssertionError(f"cds {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.outer.cleanup()


class Service:
    """`cds serve` on a free port, until it is left."""

    def __init__(self, project, *arguments, waits=True):
        self.child = subprocess.Popen(
            [CDS, "serve", "--port", "0", *arguments], cwd=project.root, env=project.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        line = self.child.stdout.readline()
        if not line.startswith("listening on http"):
            self.stop()
            raise AssertionError(f"it does not say where it listens: {line!r}")
        self.url = line.removeprefix("listening on ").strip()
        if waits:
            self.wait()

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=PATIENCE) as answer:
            return answer.read()

    def wait(self):
        """Until every project can be asked."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                self.get("/ready")
                return
            except urllib.error.HTTPError:
                time.sleep(0.05)
        raise AssertionError("it is not ready")

    def is_alive(self):
        return self.child.poll() is None and b'"ok"' in self.get("/health")

    def stop(self):
        self.child.terminate()
        try:
            self.child.wait(15)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        self.child.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
