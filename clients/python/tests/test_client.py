"""The client against a real service, and against what a real one does too seldom to wait for."""

import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1]))

from cds_client import Cds, CdsError
from generate import DOCUMENT

CDS = os.environ.get("CDS_BIN", str(HERE.parents[3] / "target/debug/cds"))

FILES = {
    "shop/cart.py": "from shop.money import parse\n\nclass Cart:\n    def total(self):\n        return parse('1')\n",
    "shop/money.py": "def parse(text):\n    return int(text)\n",
}

# A question for every operation. One that has none fails the test: a new operation brings its question.
QUESTIONS = {
    "search": {"query": "parse"},
    "symbol": {"name": "Cart"},
    "traverse": {"from_": ["Cart.total"]},
    "callers": {"from_": ["shop/money.py:parse"]},
    "callees": {"from_": ["Cart.total"]},
    "implementations": {"from_": ["Cart"]},
    "dependents": {"from_": ["shop/money.py"]},
    "path": {"from_": "Cart.total", "to": "shop/money.py:parse"},
    "retrieve": {"ids": ["shop/money.py:parse"]},
    "research": {"query": "how are prices parsed"},
    "similar": {"place": "shop/cart.py:4"},
    "outline": {"path": "shop"},
    "grep": {"pattern": "int"},
    "status": {},
    "locagent_search": {"search_terms": ["shop/money.py:parse"]},
    "locagent_explore": {"start_entities": ["shop/cart.py"]},
    "locagent_retrieve": {"entity_names": ["shop/money.py:parse"]},
    "locagent_graph": {"part": "edges"},
}


class Real(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        outer = tempfile.TemporaryDirectory(prefix="cds-client-")
        cls.addClassCleanup(outer.cleanup)
        root = pathlib.Path(outer.name).resolve() / "project"
        for path, text in FILES.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": outer.name, "CDS_TOKEN": "a secret word"}
        cls.root = root
        cls.child = subprocess.Popen(
            [CDS, "serve", "--port", "0"], cwd=root, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        cls.addClassCleanup(cls.stop)
        url = cls.child.stdout.readline().removeprefix("listening on ").strip()
        cls.cds = Cds(url, token="a secret word")
        until = time.monotonic() + 30
        while not cls.cds.ready()["ready"]:
            assert time.monotonic() < until, "the index was not made within 30 s"
            time.sleep(0.05)

    @classmethod
    def stop(cls):
        cls.child.terminate()
        cls.child.wait(15)
        cls.child.stdout.close()

    def test_the_document_is_the_one_that_types_are_made_from(self):
        served = self.cds._ask("GET", "/api/openapi.json")
        self.assertEqual(served, json.loads(DOCUMENT.read_text()), "see the README of clients/typescript")

    def test_every_operation_answers(self):
        for path, item in json.loads(DOCUMENT.read_text())["paths"].items():
            name = item.get("post", {}).get("operationId")
            if name is None or f"/api/v1/{name}" != path or name == "refresh":
                continue
            self.assertIn(name, QUESTIONS, "a new operation brings its question")
            self.assertIsInstance(getattr(self.cds, name)(**QUESTIONS[name]), dict)

    def test_what_is_found(self):
        hits = self.cds.search(query="parse", limit=1)["hits"]
        self.assertEqual([hit["id"] for hit in hits], ["shop/money.py:parse"])
        edges = self.cds.callers(from_=["shop/money.py:parse"])["edges"]
        self.assertIn("shop/cart.py:Cart.total", [edge["from"] for edge in edges])

    def test_projects_and_tasks(self):
        self.assertEqual(self.cds.health()["status"], "ok")
        self.assertEqual([project["name"] for project in self.cds.list_projects()], ["project"])
        self.assertEqual(self.cds.get_project("project")["root"], str(self.root))
        shop = self.cds.open_project(root=str(self.root / "shop"))
        self.assertIsNone(self.cds.close_project(shop["name"]))
        self.assertEqual(self.cds.refresh(project="project")["name"], "project")
        states = [task["state"] for task in self.cds.follow_task(self.cds.index(force=True, project="project")["id"])]
        self.assertEqual(states[-1], "completed")
        task = self.cds.list_tasks()[0]
        self.assertEqual(self.cds.get_task(task["id"])["files"], len(FILES))
        self.assertEqual(self.cds.cancel_task(task["id"])["state"], "completed")

    def test_faults_have_names(self):
        def fault(ask):
            with self.assertRaises(CdsError) as caught:
                ask()
            return caught.exception.status, caught.exception.code, (caught.exception.data or {}).get("field")

        self.assertEqual(fault(lambda: self.cds.search(query="x", limit=-1)), (400, "invalid_parameter", "limit"))
        self.assertEqual(fault(lambda: self.cds.search()), (400, "invalid_parameter", "query"))
        self.assertEqual(fault(lambda: self.cds.get_task("9/9")), (404, "not_found", None))
        self.assertEqual(fault(lambda: next(self.cds.follow_task("99"))), (404, "not_found", None))
        self.assertEqual(fault(lambda: Cds(self.cds.url).list_projects()), (401, "refused", None))
        self.assertEqual(fault(lambda: Cds("http://127.0.0.1:1").health()), (0, "connection", None))


class Strange(unittest.TestCase):
    """Something answers, but not as cds does."""

    def served(self, body, status=200, headers=(), seconds=0.0):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                time.sleep(seconds)
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return Cds(f"http://127.0.0.1:{server.server_port}/", timeout=0.2)

    def check(self, ask, status, code):
        with self.assertRaises(CdsError) as caught:
            ask()
        self.assertEqual((caught.exception.status, caught.exception.code), (status, code))

    def test_what_is_not_cds_is_told(self):
        self.check(self.served(b"<html>").health, 200, "bad_answer")
        self.check(self.served(b"<html>", 502).health, 502, "bad_answer")
        self.check(self.served(b'{"error":"oops"}', 500).list_projects, 500, "bad_answer")
        self.check(self.served(b"", 302, [("Location", "http://localhost/")]).health, 302, "bad_answer")
        self.check(self.served(b"{}", seconds=0.5).health, 0, "timeout")

    def test_not_ready_yet_is_an_answer(self):
        self.assertEqual(self.served(b'{"ready":false,"projects":[]}', 503).ready(), {"ready": False, "projects": []})

    def test_events(self):
        def event(**task):
            return f"event: task\ndata: {json.dumps(task)}\n\n".encode()

        whole = self.served(event(state="running") + b":\n\n" + event(state="completed"))
        self.assertEqual([task["state"] for task in whole.follow_task("1")], ["running", "completed"])
        cut = self.served(event(state="running"))
        self.check(lambda: list(cut.follow_task("1")), 0, "connection")
        self.check(lambda: list(self.served(b"data: hello\n\n").follow_task("1")), 200, "bad_answer")

    def test_an_address_is_one(self):
        for url in ("", "127.0.0.1:9876", "ftp://code.example", "http://"):
            with self.assertRaisesRegex(ValueError, "url"):
                Cds(url)


if __name__ == "__main__":
    unittest.main()
