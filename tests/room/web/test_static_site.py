"""`room/web/static_site.py`: what is in the pages, and what is not."""

import asyncio
import csv
import re
from html.parser import HTMLParser
from io import StringIO

import msgspec
import pytest

from clock.ui.i18n import LANGUAGES
from lab.support.hubs import Room
from lab.support.last_run import match_in
from lab.support.logs import forged
from lab.support.paths import DATA
from room.hub.public_view import PublicView
from room.lines.events import LinesRead, Place, TroubleChanged
from room.settings.room import Names
from room.web.publish import as_everybody
from room.web.static_site import NotPublicError, Site, SiteMaker, named_in

LOG = (DATA / "ebf.jsonl").read_bytes().splitlines()
PLACE = Place("/logs", "/logs", hint="7")
WALL = "2026-05-01T21:03:00+02:00"
HOSTILE = '=HYPERLINK("http://x")<script src=//x>'


def renamed(log: list[bytes], left: str) -> list[bytes]:
    """The log with another name of the left player."""
    return forged(log, 0, lambda line: line["settings"].update(names=[left, "Ben"]))


answers: dict[str, bytes] = {}
"""What was read of the hub last, by path."""


def made(
    *logs: list[bytes], names: Names = "full", language: str = "en", trouble: str = ""
) -> Site:
    """The site of a hub that has read these logs."""
    room = Room(public=PublicView(names))
    hub = room.hub
    ask = as_everybody(hub)

    async def note(path: str) -> bytes | None:
        found = await ask(path)
        answers[path.partition("?")[0]] = found or b""
        return found

    async def make() -> Site:
        for number, log in enumerate(logs):
            place = Place(f"/{number}", f"/{number}", hint=str(number))
            hub.put(LinesRead(place, f"m{number}", tuple(log), 0, live=False))
            hub.put(TroubleChanged(place, trouble))
        hub.publish_trouble = lambda: trouble
        await hub.settle()
        return await SiteMaker(note, language).make(WALL)

    with room:
        return asyncio.run(make())


def content(site: Site, kind: str) -> str:
    """The text of the only file of a kind."""
    (found,) = (text for name, text in site.files.items() if name.endswith(f".{kind}"))
    return (found or b"").decode()


class Elements(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags, self.text = set[str](), ""
        self.cells: list[str] = []  # the texts of each heading and each cell of a table
        self.looks: list[str] = []  # the classes of each
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag in {"h2", "th", "td"}:
            self.cells.append("")
            self.looks.append(dict(attrs).get("class") or "")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.cells:
            self.cells[-1] += data


def test_the_page_names_each_file_by_its_content() -> None:
    """Results, the report, the code of the log; the same again if nothing has changed."""
    site = made(LOG)
    assert named_in(site.page) == named_in(b"\xff" + site.page) == set(site.files)
    kinds = sorted(name.replace(name.split(".")[1], "") for name in site.files)
    assert kinds == ["match..html", "results..csv", "results..json", "results..xlsx", "style..css"]
    page = Elements(site.page).text
    assert "Ben wins, opponent out of time" in page
    assert "2026-05-01 21:03" in page
    fingerprint = msgspec.json.decode(content(site, "json"))[0]["head"]
    assert fingerprint in page
    assert fingerprint in Elements(content(site, "html").encode()).text
    assert made(LOG) == site
    assert named_in(made(LOG, match_in("STOPPED").lines).page) > {
        name for name in site.files if name.startswith(("match", "style"))
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_of_a_match_has_all_of_its_report(language: str) -> None:
    """Each table of what a reader of the hub is sent, with its title, in its order."""
    site = made(LOG, language=language)
    tables = msgspec.json.decode(answers["/api/1/matches/m0"])["report"]["tables"]
    expected = []
    for table in tables:
        rows = [table["headings"]] * any(table["headings"]) + table["rows"]
        expected += [table["title"]] * bool(table["title"]) + [cell for row in rows for cell in row]
    page = Elements(content(site, "html").encode())
    page.close()
    assert [cell.split() for cell in page.cells[:-1]] == [cell.split() for cell in expected[:-1]]


def test_the_finals_of_two_events_are_two_lists() -> None:
    def final(event: str) -> list[bytes]:
        named = {"event": event, "round": "Final"}
        return forged(LOG, 0, lambda line: line["settings"].update(named))

    cells = Elements(made(final("Open"), final("Club")).page).cells
    assert {"Open · Final", "Club · Final"} < set(cells)
    assert "Final" in Elements(made(final("Open")).page).cells


def test_a_hostile_name_stays_a_name() -> None:
    """Neither an element of a page nor a formula of a spreadsheet."""
    site = made(renamed(LOG, HOSTILE), renamed(match_in("RUNNING").lines, HOSTILE))
    for page in (site.page, content(site, "html").encode()):
        found = Elements(page)
        assert HOSTILE in found.text
        assert "script" not in found.tags
    (row,) = csv.DictReader(StringIO(content(site, "csv")))
    assert row["left"] == f"'{HOSTILE}"
    (result,) = msgspec.json.decode(content(site, "json"))
    assert result["left"] == HOSTILE


def test_a_result_looks_like_what_it_is() -> None:
    """Who has won; what is not finished, and what is doubted, is marked."""
    damaged = [*LOG[:20], b"{", *LOG[21:]]
    for log, won, marked in (
        (LOG, {"Ben"}, set()),
        (match_in("PUT_ASIDE").lines, set(), {"Adjourned"}),
        (damaged, {"Ben"}, {"Log damaged"}),
    ):
        page = Elements(made(log).page)
        cells = [*zip(page.looks, page.cells, strict=True)]
        assert {text for look, text in cells if look == "won"} == won
        assert {text for look, text in cells if "warn" in look} == marked


def test_only_what_everybody_may_see_is_in_it() -> None:
    """No full name if the director hides them, and so no report; never what is wrong."""
    site = made(LOG, names="initials", trouble="disk full")
    everything = b"".join([site.page, *filter(None, site.files.values())])
    assert b"Ada" not in everything
    assert b"disk full" not in everything
    assert not any(name.startswith("match") for name in site.files)
    assert "disk full" not in str(made(LOG, trouble="disk full"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_is_there_in_each_language(language: str) -> None:
    """No key stands in the place of its word, and no English word for a clock without a box."""
    states = [match_in(each).lines for each in ("RUNNING", "STOPPED", "BREAK", "READY")]
    site = made(LOG, *states, language=language)
    for page in (site.page, content(site, "html").encode()):
        assert not re.search(r"\b(page|report|end|reason)_\w+", Elements(page).text)
    assert ("simulated" in Elements(site.page).text) == (language == "en")


def test_pages_that_are_closed_are_not_published() -> None:
    async def refuses(path: str) -> bytes | None:
        return None

    with pytest.raises(NotPublicError):
        asyncio.run(SiteMaker(refuses, "en").make(WALL))
