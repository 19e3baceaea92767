#!/usr/bin/env python3
"""Packages of source, by name, version and hash, into a folder.

    fetch.py lock CANDIDATES FOLDER     choose versions, write sources.toml beside this file
    fetch.py get FOLDER                 fetch exactly what sources.toml says

Both leave FOLDER/tree/<registry>/<name>/... with source files only. Archives are removed as soon as they are
unpacked. The registries' own tools are asked for every archive, so mirrors are whatever they are configured for.
"""
import concurrent.futures
import email.parser
import fnmatch
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import time
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
SUFFIXES = {
    ".py", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".java", ".rs", ".go", ".swift", ".c", ".h", ".cc", ".cpp",
    ".cxx", ".hpp", ".hh", ".hxx", ".cs", ".rb", ".php", ".kt", ".kts", ".scala", ".sh", ".bash", ".lua", ".ex",
    ".exs", ".zig", ".hs", ".md",
}
MAX_FILE = 300_000
# Folders that hold tests, other people's code, or what a tool wrote.
SKIP_PARTS = set(
    "test tests testing testsuite testdata test-data spec specs __tests__ __mocks__ fixtures fixture mocks vendor vendored "
    "_vendor third_party thirdparty third-party 3rdparty external externals extern deps node_modules bundled "
    "generated gen pb _build bench benches benchmark benchmarks bower_components dist-types umd min locale locales "
    "i18n site-packages docs_src .git".split())
SKIP_NAMES = re.compile(
    r"\.min\.js$|\.pb\.(go|cc|h)$|_pb2(_grpc)?\.py$|\.d\.ts$|_test\.(go|py|exs|rb)$|^test_|\.test\.[jt]sx?$|"
    r"\.spec\.[jt]sx?$|\.bundle\.js$|Tests?\.(java|kt|cs|swift|php|scala)$|_spec\.(rb|lua)$|zz_generated|\.designer\.cs$", re.I)

PERMISSIVE = re.compile(
    r"^(mit(-0|-style|-like|-expat| license)?|expat|the mit license|x11|bsd([- ]?[0-9])?([- ]clause)?.*|new bsd.*|"
    r"modified bsd.*|3-clause bsd.*|apache([- ]?(software|license).*|[- ]?2.*)?|asl[- ]?2(\.0)?|isc.*|zlib.*|psf.*|python.*|"
    r"unlicense.*|the unlicense.*|cc0.*|bsl-1\.0|boost.*|0bsd|historical permission.*|hpnd.*)$", re.I)
CLASSIFIERS = ("MIT", "BSD", "Apache Software", "ISC", "Python Software Foundation", "zlib", "Unlicense", "CC0", "Boost")


TRIES = 3


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def patiently(action, folder):
    """Registries and mirrors fail now and then: an empty folder and a second try, then a third."""
    for left in range(TRIES - 1, -1, -1):
        try:
            return action()
        except (subprocess.CalledProcessError, StopIteration, IndexError):
            if not left:
                raise
            time.sleep(5 * (TRIES - left))
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


# --- what may be used ---------------------------------------------------------------------------------------------

def excluded_projects():
    rows = []
    for line in (HERE / "exclude.txt").read_text().splitlines():
        line = line.split("#")[0].split()
        if line:
            owner, name = line[0].lower().split("/")
            rows.append((owner, name, [a for a in line[1:] if a != "generic"], "generic" in line[1:]))
    return rows


EXCLUDED = excluded_projects()
TELLING = {n for _, name, aliases, generic in EXCLUDED for n in ([] if generic else [name]) + aliases}
ALL_NAMES = TELLING | {name for _, name, _, _ in EXCLUDED}
PREFIX = re.compile(r"^(golang-(github|gopkg|go|golang)-|golang-|ruby-|php-|haskell-|lua-|node-|lib|python3?-|elixir-|rust-)")


def refused_name(name):
    low = name.lower()
    bare = re.sub(r"[0-9.]+$|-dev$|-java$|js$", "", PREFIX.sub("", low)).strip("-_. ")
    parts = set(re.split(r"[-_/@]+", low)) | {bare, low}
    hit = parts & TELLING or {bare, low, low.split("/")[-1]} & ALL_NAMES
    return f"name has {sorted(hit)[0]}" if hit else None


def refused_address(text):
    low = text.lower()
    for owner, name, _, _ in EXCLUDED:
        if re.search(rf"\b{re.escape(owner)}/{re.escape(name)}(\b|\.git)(?![-.]?\w)", low):
            return f"comes from {owner}/{name}"
    return None


def refused_path(path):
    parts = [p.lower() for p in path.parts]
    if set(parts) & SKIP_PARTS or SKIP_NAMES.search(path.name):
        return True
    stems = set(parts[:-1]) | {path.stem.lower()} if len(parts) < 4 else set(parts[:-1])
    if stems & TELLING:
        return True
    pairs = set(zip(parts, parts[1:]))
    return any((owner, name) in pairs for owner, name, _, _ in EXCLUDED)


def permissive(text):
    """Whether one of the alternatives of a licence expression is permissive as a whole."""
    text = re.sub(r"[()]", "", text or "").strip()
    if not text or len(text) > 300:
        return False
    for choice in re.split(r"\s+or\s+|/|\s*\|\s*", text, flags=re.I):
        terms = re.split(r"\s+and\s+|,|\s+with\s+llvm-exception|;", choice.strip(), flags=re.I)
        terms = [t.strip() for t in terms if t.strip()]
        if terms and all(PERMISSIVE.match(t) for t in terms):
            return True
    return False


# --- one archive to a tree ----------------------------------------------------------------------------------------

def members(path):
    """(name, size, bytes reader) of every regular file in an archive."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    yield info.filename, info.file_size, lambda i=info: archive.read(i)
        return
    with tarfile.open(path) as archive:
        for info in archive:
            if info.isfile():
                yield info.name, info.size, lambda i=info: archive.extractfile(i).read()


def unpack(path, target, refused_files=()):
    count = 0
    for name, size, read in members(path):
        parts = [p for p in name.split("/") if p not in ("", ".", "..")]
        inner = pathlib.PurePosixPath(*parts[1:]) if len(parts) > 1 else pathlib.PurePosixPath(*parts)
        if path.suffix == ".whl":
            inner = pathlib.PurePosixPath(*parts)
        if inner.suffix.lower() not in SUFFIXES or not 40 < size <= MAX_FILE or refused_path(inner):
            continue
        if any(fnmatch.fnmatch(str(inner), pattern) for pattern in refused_files):
            continue
        file = target / inner
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(read())
            count += 1
        except OSError:
            continue
    return count


# --- the registries -----------------------------------------------------------------------------------------------

def pip_download(wanted, folder):
    # Wheels only: a source archive would be built to learn its metadata.
    names = [name if version is None else f"{name}=={version}" for name, version in wanted]
    run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", str(folder), *names)


def pip_archive(name, version, folder):
    ready = folder.parent / "ready"
    plain = re.sub(r"[-_.]+", "_", name.lower())
    found = [w for w in ready.glob("*.whl") if re.sub(r"[-_.]+", "_", w.name.lower().split("-")[0]) == plain]
    if not found:
        pip_download([(name, version)], folder)
        found = list(folder.glob("*.whl"))
    return [found[0]]


def pip_facts(archives):
    with zipfile.ZipFile(archives[0]) as wheel:
        name = next(n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
        meta = email.parser.Parser().parsestr(wheel.read(name).decode("utf-8", "replace").split("\n\n")[0])
    licence = meta["License-Expression"] or ""
    if not licence:
        short = (meta["License"] or "").strip()
        found = [c.split("::")[-1].strip() for c in meta.get_all("Classifier", []) if c.startswith("License ::")]
        licence = " AND ".join(f for f in found if f != "OSI Approved") or (short if len(short) < 80 else "")
        if found and all(any(k in f for k in CLASSIFIERS) for f in found):
            licence = " AND ".join(re.sub(r" License$", "", f).replace("Python Software Foundation", "PSF") for f in found)
    address = " ".join(meta.get_all("Project-URL", []) + [meta["Home-page"] or ""])
    return meta["Version"], licence, address


def npm_download(wanted, folder):
    names = [name if version is None else f"{name}@{version}" for name, version in wanted]
    run("npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", str(folder), *names, cwd=folder)


def npm_archive(name, version, folder):
    plain = name.lstrip("@").replace("/", "-")
    pattern = re.compile(re.escape(plain) + r"-\d[^/]*\.tgz$")
    found = [a for a in (folder.parent / "ready").glob(f"{plain}-*.tgz") if pattern.match(a.name)]
    if not found:
        npm_download([(name, version)], folder)
        found = list(folder.glob("*.tgz"))
    return [found[0]]


BATCH = 25


def prefetch(rows, folder):
    """Archives of many packages by one start of the tool: starting it costs more than fetching."""
    ready = folder / "archives" / "ready"
    ready.mkdir(parents=True, exist_ok=True)
    for registry, download in (("npm", npm_download), ("pip", pip_download)):
        wanted = [(r["name"], r.get("version")) for r in rows if r["registry"] == registry and not refused_name(r["name"])]
        for at in range(0, len(wanted), BATCH):
            try:
                download(wanted[at:at + BATCH], ready)
            except subprocess.CalledProcessError:
                pass  # one name is wrong: each is asked for alone


def npm_facts(archives):
    with tarfile.open(archives[0]) as archive:
        info = next(m for m in archive if m.name.count("/") == 1 and m.name.endswith("/package.json"))
        meta = json.load(archive.extractfile(info))
    licence = meta.get("license") or ""
    if isinstance(licence, dict):
        licence = licence.get("type", "")
    address = json.dumps([meta.get("repository"), meta.get("homepage")])
    return meta["version"], licence, address


def apt_options(folder):
    """The configured binary sources, read as sources of source; state in a folder of our own."""
    home = folder / "apt"
    if not (home / "ready").exists():
        for part in ("lists/partial", "cache/archives/partial"):
            (home / part).mkdir(parents=True, exist_ok=True)
        text = ""
        for file in sorted(pathlib.Path("/etc/apt").glob("sources.list.d/*.sources")):
            text += re.sub(r"(?m)^Types:.*", "Types: deb-src", re.sub(r"(?m)^#.*\n", "", file.read_text())) + "\n"
        (home / "source.sources").write_text(text)
    options = ["-o", f"Dir::Etc::sourcelist={home}/source.sources", "-o", "Dir::Etc::sourceparts=-",
               "-o", f"Dir::State::lists={home}/lists", "-o", f"Dir::Cache={home}/cache"]
    if not (home / "ready").exists():
        run("apt-get", *options, "update")
        (home / "ready").touch()
    return options


def apt_archive(name, version, folder):
    options = apt_options(folder.parent.parent)
    ask = ("apt-get", *options, "source", "--print-uris", "--download-only")
    try:
        told = run(*ask, name if version is None else f"{name}={version}")
    except subprocess.CalledProcessError:
        if version is None:
            raise
        # A mirror keeps the newest revision only. The hash of the upstream archive decides whether that one will do.
        told = run(*ask, name)
    archives = []
    for line in told.splitlines():
        if not line.startswith("'"):
            continue
        address, file, _size, digest = line.split()
        if ".orig" in file and not file.endswith(".asc") or ".debian.tar" in file or file.endswith(".diff.gz") or re.search(r"_[^-]+\.tar\.\w+$", file):
            target = folder / file
            run("/usr/lib/apt/apt-helper", *options, "download-file", address.strip("'"), str(target), digest)
            archives.append(target)
    return sorted(archives, key=of_debian)


def of_debian(archive):
    return ".debian." in archive.name or archive.name.endswith(".diff.gz")


def apt_version(archives):
    return re.match(r"[^_]+_(.*?)\.(debian\.tar|diff\.gz|orig|tar)", archives[-1].name)[1]


def dep5(text):
    """(patterns, licence) of each paragraph of a machine-readable copyright file."""
    for paragraph in re.split(r"\n\s*\n", text):
        files = re.search(r"(?ms)^Files:(.*?)(?=^\S)", paragraph + "\nEnd:")
        licence = re.search(r"(?m)^License:[ \t]*(.*)$", paragraph)
        if files and licence:
            yield files[1].split(), licence[1].strip()


def copyright_file(archives):
    """What Debian says of a source package's licences: in its own archive, or in its patch for old formats."""
    if archives[-1].name.endswith(".diff.gz"):
        patch = gzip.open(archives[-1], "rt", errors="replace").read()
        found = re.search(r"(?ms)^\+\+\+ \S*debian/copyright\n@@[^\n]*\n(.*?)(?=^--- |\Z)", patch)
        return "\n".join(line[1:] for line in found[1].splitlines()) if found else ""
    for name, _, read in members(archives[-1]):
        if name.endswith("debian/copyright"):
            return read().decode("utf-8", "replace")
    return ""


# Sentences that only one licence has, once white space is made plain.
TELLTALES = [
    ("BSL-1.0", r"permission is hereby granted, free of charge, to any person or organization obtaining a copy of the software and"),
    ("MIT", r"permission is hereby granted, free of charge, to any person obtaining a copy of this software and"),
    ("BSD-3-Clause", r"redistribution and use in source and binary forms.*(endorse or promote|advertising or publicity)"),
    ("BSD-2-Clause", r"redistribution and use in source and binary forms"),
    ("Apache-2.0", r"under the apache license, version 2\.0"),
]
NOT_PERMISSIVE = re.compile(r"\bgnu\b|\ba?l?gpl\b|general public|mozilla public|creative commons|non-?commercial|artistic licen", re.I)


def licence_of_text(text):
    """The licences that a text has, if none but permissive ones are spoken of."""
    plain = re.sub(r"[\s.*]*\s[\s.*]*", " ", text).lower()
    if NOT_PERMISSIVE.search(plain):
        return ""
    found = [name for name, mark in TELLTALES if re.search(mark, plain)]
    return " AND ".join(name for name in found if name != "BSD-2-Clause" or "BSD-3-Clause" not in found)


def by_text(short, text):
    """A licence's short name; if it says nothing by itself, what the paragraph that it stands for is."""
    if permissive(short):
        return short
    found = re.search(rf"(?ms)^License:[ \t]*{re.escape(short)}[ \t]*\n((?:[ \t]+\S[^\n]*\n?)+)", text)
    return found and licence_of_text(found[1]) or short


def apt_facts(archives):
    text = copyright_file(archives)
    rows = list(dep5(text))
    main = next((licence for files, licence in rows if "*" in files or "./*" in files), "")
    # A file in prose speaks for the package as a whole, or not at all.
    main = by_text(main, text) if rows else licence_of_text(text)
    address = " ".join(re.findall(r"(?m)^(?:Source|Homepage|Upstream-Contact):.*(?:\n .*)*", text))
    return apt_version(archives), main, address


def apt_refused_files(archives):
    text = copyright_file(archives)
    return [p for files, licence in dep5(text) if not permissive(by_text(licence, text)) for p in files] + ["debian/*"]


def cargo_archive(name, version, folder):
    # Asking about a crate is the one command that fetches it without its dependencies.
    home = folder / "home"
    home.mkdir()
    settings = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo")) / "config.toml"
    if settings.exists():
        shutil.copy(settings, home)
    wanted = name if version is None else f"{name}@{version}"
    run("cargo", "info", "--quiet", wanted, cwd=home, env={**os.environ, "CARGO_HOME": str(home)})
    return [next(home.glob("registry/cache/*/*.crate"))]


def cargo_facts(archives):
    with tarfile.open(archives[0]) as crate:
        info = next(m for m in crate if m.name.count("/") == 1 and m.name.endswith("/Cargo.toml"))
        meta = tomllib.loads(crate.extractfile(info).read().decode())["package"]
    return meta["version"], meta.get("license", ""), f"{meta.get('repository', '')} {meta.get('homepage', '')}"


ARCHIVE = {"pip": pip_archive, "npm": npm_archive, "apt": apt_archive, "cargo": cargo_archive}
FACTS = {"pip": pip_facts, "npm": npm_facts, "apt": apt_facts, "cargo": cargo_facts}


def take(row, folder):
    """Fetches, checks and unpacks one package; gives its row, or why it is not used."""
    registry, name = row["registry"], row["name"]
    if why := refused_name(name):
        return None, why
    work = folder / "archives" / f"{registry}-{name.replace('/', '__')}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        return judge(row, folder, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def judge(row, folder, work):
    registry, name = row["registry"], row["name"]
    tree = folder / "tree" / registry / name.replace("/", "__")
    try:
        archives = patiently(lambda: ARCHIVE[registry](name, row.get("version"), work), work)
    except (subprocess.CalledProcessError, StopIteration, IndexError) as error:
        return None, f"not fetched: {(getattr(error, 'stderr', '') or str(error)).strip()[-160:]}"
    version, licence, address = FACTS[registry](archives)
    refused = apt_refused_files(archives) if registry == "apt" else ()
    archives = [a for a in archives if not of_debian(a)]
    hashes = [sha256(a) for a in archives]
    if row.get("licence") not in (None, licence):
        return None, f"its licence is {licence!r}, sources.toml says {row['licence']!r}"
    if why := refused_address(address):
        return None, why
    if not permissive(licence):
        return None, f"licence {licence!r}"
    if row.get("sha256") and row["sha256"] != hashes:
        return None, "another hash than sources.toml says"
    shutil.rmtree(tree, ignore_errors=True)
    count = sum(unpack(a, tree, refused) for a in archives)
    if not count:
        return None, "no source files"
    done = {"registry": registry, "name": name, "version": version, "sha256": hashes, "licence": licence,
            "languages": row["languages"]}
    mark(done, folder).parent.mkdir(exist_ok=True)
    mark(done, folder).touch()
    return done, f"{count} files"


def read_candidates(path):
    registry, languages, rows = None, [], []
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith("["):
            registry, *languages = line.strip("[]").split()
            continue
        for word in line.split("#")[0].split():
            name, at, version = word.removeprefix("@").partition("@")
            name = ("@" if word.startswith("@") else "") + name
            row = {"registry": registry, "name": name, "languages": languages}
            if at:
                row["version"] = version
            rows.append(row)
    return rows


def mark(row, folder):
    """The file that says that a package of these hashes was unpacked whole."""
    hashes = hashlib.sha256("".join(row.get("sha256", ())).encode()).hexdigest()[:16]
    return folder / "done" / f"{row['registry']}-{row['name'].replace('/', '__')}-{hashes}"


def fetch_all(rows, folder, done=lambda kept: None):
    seen, unique, kept = set(), [], []
    for row in rows:
        if (row["registry"], row["name"]) not in seen:
            seen.add((row["registry"], row["name"]))
            if mark(row, folder).exists() and row.get("sha256"):
                kept.append(row)
            else:
                unique.append(row)
    if kept:
        print(f"{len(kept)} packages are there already", flush=True)
    if any(r["registry"] == "apt" for r in unique):
        apt_options(folder)
    for at in range(0, len(unique), 100):
        part = unique[at:at + 100]
        prefetch(part, folder)
        kept += take_all(part, folder)
        shutil.rmtree(folder / "archives", ignore_errors=True)
        done(kept)
    return kept


def take_all(unique, folder):
    kept = []
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for row, (done, note) in zip(unique, pool.map(lambda r: guarded(r, folder), unique)):
            print(("ok     " if done else "refuse ") + f"{row['registry']} {row['name']}: {note}", flush=True)
            if done:
                kept.append(done)
    return kept


def guarded(row, folder):
    try:
        return take(row, folder)
    except Exception as error:  # one odd archive must not stop the others
        return None, f"{type(error).__name__}: {error}"


def add_to_sources(kept):
    old, path = [], HERE / "sources.toml"
    if path.exists():
        names = {(r["registry"], r["name"]) for r in kept}
        old = [r for r in tomllib.loads(path.read_text()).get("package", []) if (r["registry"], r["name"]) not in names]
    write_sources(old + kept)


def write_sources(rows):
    out = io.StringIO()
    out.write("# Written by `fetch.py lock`. Permissive licences only, as each package declares them.\n")
    for row in sorted(rows, key=lambda r: (r["registry"], r["name"])):
        out.write("\n[[package]]\n")
        for key in ("registry", "name", "version", "licence"):
            out.write(f"{key} = {json.dumps(row[key])}\n")
        out.write(f"languages = {json.dumps(row['languages'])}\nsha256 = {json.dumps(row['sha256'])}\n")
    (HERE / "sources.toml").write_text(out.getvalue())


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "lock":
        folder = pathlib.Path(arguments[2]).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        fetch_all(read_candidates(arguments[1]), folder, add_to_sources)
    elif len(arguments) == 2 and arguments[0] == "get":
        folder = pathlib.Path(arguments[1]).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        wanted = tomllib.loads((HERE / "sources.toml").read_text())["package"]
        kept = fetch_all(wanted, folder)
        if len(kept) < len(wanted):
            sys.exit(f"{len(wanted) - len(kept)} packages are missing: see the lines above")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
