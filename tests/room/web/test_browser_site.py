"""The pages that need no installation, on a hub."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import room
from lab.support.hubs import Room
from lab.support.paths import ROOT
from room.web.page_files import BROWSER_HEADERS, BROWSER_PAGES

TYPES = {
    "index.html": "text/html; charset=utf-8",
    "practice.html": "text/html; charset=utf-8",
    "proof.html": "text/html; charset=utf-8",
    "licences.txt": "text/plain; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "files.json": "application/json",
    "program.zip": "application/zip",
    "runtime/pyodide.asm.wasm": "application/wasm",
    "runtime/pyodide.asm.wasm.bin": "application/octet-stream",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the pages would be."""
    return tmp_path / "pages"


@pytest.fixture
def client(folder: Path) -> Iterator[TestClient]:
    """A browser on a hub that looks there when it is asked first."""
    for name in TYPES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode())
    with closing(Room(browser=folder)) as room:
        yield room.director


@pytest.mark.parametrize("name", TYPES)
def test_each_file_has_its_type_and_its_headers(client: TestClient, name: str) -> None:
    answer = client.get(f"/browser/{name}")
    assert (answer.status_code, answer.content) == (200, name.encode())
    assert answer.headers["content-type"] == TYPES[name]
    for header, value in BROWSER_HEADERS.items():
        assert answer.headers.get_list(header) == [value]
    known = {"if-none-match": answer.headers["etag"]}
    assert client.get(f"/browser/{name}", headers=known).status_code == 304


def test_practice_and_proof_lead_to_their_pages(client: TestClient) -> None:
    for name in ("practice", "proof"):
        assert client.get(f"/{name}").content == f"{name}.html".encode()
    assert client.get("/browser/").content == b"index.html"


def test_nothing_outside_the_folder_is_served(client: TestClient, folder: Path) -> None:
    """Neither by its path nor by a link."""
    (folder.parent / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(folder.parent / "secret.txt")
    (folder / "up").symlink_to(folder.parent)
    outside = ("../secret.txt", "%2e%2e/secret.txt", "runtime/..%2f..%2fsecret.txt")
    for path in (*outside, f"/{folder.parent}/secret.txt", "link.txt", "up/secret.txt"):
        assert client.get(f"/browser/{path}").status_code == 404


def test_without_them_a_page_says_how_to_get_them(folder: Path) -> None:
    with closing(Room(browser=folder)) as room:
        for name in ("practice", "proof"):
            answer = room.director.get(f"/{name}")
            assert (answer.status_code, "make browser" in answer.text) == (200, True)
            assert answer.headers["content-type"] == "text/html; charset=utf-8"


def test_they_are_looked_for_where_make_puts_them() -> None:
    beside = BROWSER_PAGES.relative_to(Path(room.__file__).parents[1]).as_posix()
    assert f"\n{beside}/files.json:\n" in (ROOT / "Makefile").read_text(encoding="utf-8")
