"""Make the pages that need no installation: `make browser`.

They are static files for any web server. In them the unmodified commands run in WebAssembly:
Pyodide (from npm), this project's packages, and the libraries that its commands import, all pinned.
The same files are made whoever makes them, wherever and whenever.
"""

import gzip
import hashlib
import html
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from clock.ui import i18n
from room.hub.words import page_words
from room.web.page_files import BROWSER_HEADERS, POLICY

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "browser"
PYODIDE: Final = "314.0.7"
PYODIDE_SHA256: Final = "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0"
PYTHON, PLATFORM = "314", "pyemscripten_2026_0_wasm32"
RUNTIME = {  # of Pyodide: the name here, and what a server has to call it
    "pyodide.mjs": "pyodide.js",
    "pyodide.asm.mjs": "pyodide.asm.js",
}
STDLIB = "python_stdlib.zip"
UNUSED = re.compile(  # of the standard library: no page imports it
    r"(_pyrepl|multiprocessing|unittest|wsgiref|xmlrpc)/"
    r"|(_pydatetime|_pyio|bdb|doctest|ftplib|imaplib|mailbox|pdb|pickletools|pydoc|smtplib)\.py"
)
WASM, PACKED = "pyodide.asm.wasm", "pyodide.asm.wasm.bin"
LOCK = "pyodide-lock.json"  # says for which Python; we use none of its packages
PACKAGES = ("clock", "config", "gammonclock", "hardware")
SUFFIXES = (".bdf", ".json", ".py", ".toml")
OTHERS_WORDS = ("browser.toml", "pages.toml")  # which no command says
SAID_ELSEWHERE = {  # words of the pages here, and their keys among those of panels and rooms
    "centre_button": "centre",
    "choice_crawford_done": "crawford_done",
    "label_round": "page_round_of",
    "language": "item_language",
    "nav_settings": "report_settings",
    "new_match": "item_new_match",
    "rules": "page_offer_profile",
}
LIBRARIES = ("click", "msgspec", "rich", "segno")  # of systemd/requirements.txt
DATE: Final = (1980, 1, 1, 0, 0, 0)
FRAME = "frame.html"  # of all pages
LICENCES = "licences.txt"
NAMES = "files.json"


def cache() -> Path:
    """Return the folder in which what was downloaded is kept."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "gammonclock" / "browser"


# --- what comes from elsewhere --------------------------------------------------------------------


def pyodide() -> dict[str, bytes]:
    """Return the files of Pyodide's package; npm brings it once."""
    kept = cache() / f"pyodide-{PYODIDE}.tgz"
    if not kept.exists():
        if shutil.which("npm") is None:
            raise SystemExit("npm brings Pyodide, and is missing. On Debian: sudo apt install npm")
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
            _run("npm", "pack", "--silent", f"pyodide@{PYODIDE}", cwd=Path(folder))
            (Path(folder) / kept.name).replace(kept)
    packed = kept.read_bytes()
    if (found := hashlib.sha256(packed).hexdigest()) != PYODIDE_SHA256:
        kept.unlink()
        raise SystemExit(f"pyodide {PYODIDE} is not the package that was tried: {found}")
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        wanted = [*RUNTIME, STDLIB, WASM, LOCK]
        members = {name: archive.extractfile(f"package/{name}") for name in wanted}
        return {name: file.read() for name, file in members.items() if file}


def wheels() -> Iterator[zipfile.ZipFile]:
    """Yield the libraries, as the hashes of their pins want them."""
    pins = (ROOT / "systemd" / "requirements.txt").read_text(encoding="utf-8")
    found = [re.search(rf"^{each}==.*(?:\n .*)*", pins, re.MULTILINE) for each in LIBRARIES]
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder, "wanted.txt")
        wanted.write_text("\n".join(each[0] for each in found if each))
        _run(
            *(sys.executable, "-m", "pip", "--quiet", "download", "--no-deps", "--require-hashes"),
            *("--only-binary=:all:", "--platform", PLATFORM, "--python-version", PYTHON),
            *("--dest", folder, "--requirement", str(wanted)),
        )
        for path in sorted(Path(folder).glob("*.whl")):
            with zipfile.ZipFile(path) as wheel:
                yield wheel


def _run(*command: str, cwd: Path = ROOT) -> None:
    if subprocess.run(command, check=False, cwd=cwd).returncode:
        raise SystemExit(f"failed: {' '.join(command)}")


# --- the files ------------------------------------------------------------------------------------


def program() -> tuple[bytes, str]:
    """Return an archive of all Python that the pages run, and the licences of its libraries."""
    files = {path.name: path.read_bytes() for path in PAGES.glob("*.py")}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*"):
            if path.suffix in SUFFIXES and path.name not in OTHERS_WORDS:
                files[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    texts = []
    for wheel in wheels():
        for name in wheel.namelist():
            if ".dist-info/" not in name and not name.endswith("/"):
                files[name] = wheel.read(name)
            elif re.search(r"\.dist-info/(?:licen[cs]es/)?LICEN[CS]E[^/]*$", name):
                library = name.partition(".dist-info")[0].replace("-", " ")
                texts.append(f"{library}\n\n{wheel.read(name).decode()}")
    return _zipped(files), "\n\n".join(texts)


def standard_library(packed: bytes) -> bytes:
    """Return an archive of Python's own modules without those that no page can use."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        names = [name for name in archive.namelist() if not UNUSED.match(name)]
        return _zipped({name: archive.read(name) for name in names})


def _zipped(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, DATE), files[name], zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def words(language: str) -> dict[str, str]:
    """Return the words of the pages, by the keys of their scripts."""
    names = {f"name_{each}": name for each, name in i18n.LANGUAGE_NAMES.items()}
    others = page_words(language)
    said = {key: others[other] for key, other in SAID_ELSEWHERE.items()}
    return i18n.texts(language, "browser") | names | said


def framed(page: Path) -> str:
    """Return a whole page: its own part in the frame of all, with the English words in their place.

    So a page can be read before its program is there.
    """
    english = words("en")
    body = re.sub(
        r'data-word="(\w+)"[^>]*>',
        lambda found: found[0] + html.escape(english[found[1]], quote=False),
        page.read_text(encoding="utf-8"),
    )
    script = f"{page.stem}.js" if page.with_suffix(".js").exists() else "page.js"
    frame = (PAGES / FRAME).read_text(encoding="utf-8")
    title = html.escape(english[f"nav_{page.stem}"])
    given = {"title": title, "script": script, "name": page.stem, "body": body}
    return frame.format(policy=BROWSER_HEADERS[POLICY], **given)


def make(folder: Path) -> None:
    """Make all files into a folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    runtime = folder / "runtime"
    runtime.mkdir(parents=True)
    taken = pyodide()
    for name, here in RUNTIME.items():
        (runtime / here).write_bytes(taken[name])
    (runtime / STDLIB).write_bytes(standard_library(taken[STDLIB]))
    (runtime / PACKED).write_bytes(gzip.compress(taken[WASM], 9, mtime=0))
    lock = {"info": json.loads(taken[LOCK])["info"], "packages": {}}
    (runtime / LOCK).write_text(json.dumps(lock) + "\n", encoding="utf-8")
    packed, licences = program()
    (folder / "program.zip").write_bytes(packed)
    for path in sorted(PAGES.iterdir()):
        target = folder / path.name
        if path.suffix == ".html" and path.name != FRAME:
            target.write_text(framed(path), encoding="utf-8")
        elif path.suffix in {".css", ".js", ".svg"}:
            shutil.copyfile(path, target)
    (folder / "words").mkdir()
    for language in i18n.LANGUAGES:
        said = json.dumps(words(language), ensure_ascii=False)
        (folder / "words" / f"{language}.json").write_text(said, encoding="utf-8")
    ours = (ROOT / "LICENSE").read_text(encoding="utf-8")
    own = (PAGES / LICENCES).read_text(encoding="utf-8")
    texts = f"{own}\n\ngammonclock\n\n{ours}\n\n{licences}"
    (folder / LICENCES).write_text(texts, encoding="utf-8")
    number_release(folder)


def number_release(folder: Path) -> None:
    """List all files with a number made of them all, which the service worker keeps them by."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    names = [path.relative_to(folder).as_posix() for path in paths]
    digest = hashlib.sha256()
    for name, path in zip(names, paths, strict=True):
        digest.update(f"{name}\0".encode() + path.read_bytes())
    release = digest.hexdigest()[:16]
    worker = folder / "service_worker.js"
    worker.write_text(worker.read_text("utf-8").replace("RELEASE", release), "utf-8")
    told = json.dumps({"release": release, "files": names}, indent=1)
    (folder / NAMES).write_text(f"{told}\n", encoding="utf-8")  # last: see `are_made`


def main() -> None:
    """Make them into the folder that the command line names."""
    folder = Path(sys.argv[1])
    make(folder)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{folder}: {size / 2**20:.1f} MiB. To see it: make run ARGS=--browser")


if __name__ == "__main__":
    main()
