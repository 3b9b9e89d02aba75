"""Results, reports and the wall as static pages, which any web space can serve.

All of it is asked of a hub as a reader without the director's token asks it, so that nothing else
can get into it. A file is named by its content; `index.html` alone keeps its name, and names them.
"""

import hashlib
import re
from collections.abc import Awaitable, Callable, Mapping
from html import escape
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec

from clock.match.types import Side
from clock.text import printable
from room.boards.board import Board
from room.boards.results import Listed
from room.hub.words import page_words
from room.web import result_words
from room.web.page_files import page_file
from room.web.static_wall import Say, static_wall

INDEX = "index.html"
HASH_DIGITS = 16  # of the content, in the name of a file
FILE_NAME = re.compile(rf"\b[a-z]+\.[0-9a-f]{{{HASH_DIGITS}}}\.[a-z]+")
GENERATOR = '<meta name="generator" content="gammonclock publish">'
STYLES = ("style.css", "tables.css", "tiles.css")
# What scripts do on the hub's pages: tiles are as large as they fit.
TILES = """.boards[data-view="tiles"] { grid-auto-rows: 6.2em;
  grid-template-columns: repeat(auto-fill, minmax(14.5em, 1fr)) }
.tile .result { padding-block: 0; border-radius: 0; background: none; box-shadow: none }
.tile .how[data-long="true"] { font-size: 11px }
h2 { margin-block-start: 12px }"""
POLICY = "default-src 'none'; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'"
HEADINGS = (
    *("report_board", "left", "report_score", "right", "report_result"),
    *("page_begun", "page_duration", "page_remarks", "report_fingerprint"),
)

T = TypeVar("T")
Get = Callable[[str], Awaitable[bytes | None]]  # what stands at a path; None: not for everybody


class NotPublicError(Exception):
    """The hub shows its boards and results to nobody but the director."""


class Site(NamedTuple):
    """A whole site."""

    page: bytes  # `index.html`
    files: Mapping[str, bytes | None]  # by name; None: it was made before, and has not changed
    results: tuple[Listed, ...]


class _Results(msgspec.Struct):
    results: list[Listed]
    event: dict[str, str]


class _Boards(msgspec.Struct):
    boards: list[Board]


class _Clock(msgspec.Struct):
    hub_ns: int


class SiteMaker:
    """Makes the site again and again; the report of a match only when its log has changed."""

    def __init__(self, get: Get, language: str) -> None:
        """Ask nothing yet.

        Args:
            get: asks the hub.
            language: of the pages.
        """
        self._get, self._language = get, language
        words = page_words(language)

        def say(key: str, **values: object) -> str:
            return words[key].format(**values) if key in words else key

        self._say: Say = say
        self._reports: dict[bytes, str] = {}  # their names, by what they are about

    def forget(self) -> None:
        """Make all reports again: those that were made are perhaps not there."""
        self._reports.clear()

    async def make(self, wall: str) -> Site:
        """Return the site as it is now; `wall` is the date and time of day.

        Raises:
            NotPublicError: the hub shows nothing to everybody.
            msgspec.DecodeError: the hub is of another version.
        """
        found = await self._asked("results", _Results)
        boards = (await self._asked("boards", _Boards)).boards
        hub_ns = (await self._asked("clock", _Clock)).hub_ns
        files: dict[str, bytes | None] = {}
        style = _put(files, "style", "css", _style())
        reports = {each.key: await self._report(each, style, files) for each in found.results}
        links = [await self._data(kind, files) for kind in ("csv", "xlsx", "json")]
        title = " · ".join(filter(None, (self._say("report_results"), found.event.get("name", ""))))
        when = self._say("page_as_of", time=result_words.minute(wall))
        index = self._page(
            title,
            style,
            f'<header class="bar"><h1>{_text(title)}</h1><p>{escape(when)}</p>'
            f'<nav class="files">{"".join(links)}</nav></header>'
            f"<main>{static_wall(boards, hub_ns, self._say)}"
            f"{self._list(found.results, reports)}</main>",
        )
        return Site(index, files, tuple(found.results))

    async def _asked(self, what: str, kind: type[T]) -> T:
        content = await self._get(f"/api/1/{what}")
        if content is None:
            raise NotPublicError
        return msgspec.json.decode(content, type=kind)

    async def _data(self, kind: str, files: dict[str, bytes | None]) -> str:
        """Add the results as a file, and return a link to it."""
        language = f"?lang={self._language}" if kind == "xlsx" else ""
        content = await self._get(f"/api/1/results.{kind}{language}")
        if content is None:
            return ""
        name = _put(files, "results", kind, content)
        return f'<a class="button" href="{name}" download>{escape(self._say(f"page_{kind}"))}</a>'

    # --- the report of a match ----------------------------------------------------------------

    async def _report(
        self, result: Listed, style: str, files: dict[str, bytes | None]
    ) -> str | None:
        """Add the page of a match; return its name, or None: everybody may not read it."""
        key = msgspec.json.encode(result)
        if (known := self._reports.get(key)) is not None:
            files.setdefault(known)
            return known
        path, source = quote(result.match, safe=""), quote(result.source)
        found = await self._get(f"/api/1/matches/{path}?lang={self._language}&source={source}")
        if found is None:
            return None
        tables = msgspec.json.decode(found)["report"]["tables"]
        title = " - ".join(result_words.name(result, side, self._say) for side in Side)
        page = self._page(
            title,
            style,
            f'<header class="bar"><h1>{_text(title)}</h1><nav><a href="{INDEX}">'
            f"{escape(self._say('report_results'))}</a></nav></header><main>"
            f'<section class="result"><p><strong>{escape(result_words.score(result))}</strong> '
            f"{_text(result_words.outcome(result, self._say))}</p>"
            f"<p>{_text(self._remarks(result))}</p>"
            f'<p>{escape(self._say("report_fingerprint"))} <strong class="number code">'
            f"{escape(result.fingerprint)}</strong></p></section>"
            f"{''.join(map(_table, tables))}</main>",
        )
        self._reports[key] = _put(files, "match", "html", page)
        return self._reports[key]

    # --- the list of results ------------------------------------------------------------------

    def _list(self, results: list[Listed], reports: Mapping[tuple[str, str], str | None]) -> str:
        if not results:
            return f'<p class="none">{escape(self._say("page_no_results"))}</p>'
        rounds: dict[str, list[Listed]] = {}
        several = len({each.event for each in results}) > 1
        for result in sorted(results, key=lambda each: each.is_other):
            title = self._round(result, with_event=several)
            rounds.setdefault(title, []).append(result)
        head = "".join(f'<th scope="col">{escape(self._say(each))}</th>' for each in HEADINGS)
        bodies = "".join(
            f'<tbody><tr class="round"><th scope="rowgroup" colspan="{len(HEADINGS)}">'
            f"{_text(title)}</th></tr>"
            f"{''.join(self._row(each, reports[each.key]) for each in of)}</tbody>"
            for title, of in rounds.items()
        )
        return (
            f'<div class="scroll"><table id="list" class="cards"><thead><tr>{head}</tr></thead>'
            f"{bodies}</table></div>"
        )

    def _round(self, result: Listed, *, with_event: bool) -> str:
        if result.is_other:
            return self._say("page_other_matches")
        return result_words.round_title(result, self._say, with_event=with_event)

    def _row(self, result: Listed, report: str | None) -> str:
        say = self._say
        points = escape(result_words.score(result))
        linked = points if report is None else f'<a class="score" href="{report}">{points}</a>'
        cells = (
            (_won(result, Side.LEFT), _text(result_words.name(result, Side.LEFT, say))),
            ("middle", linked),
            (_won(result, Side.RIGHT), _text(result_words.name(result, Side.RIGHT, say))),
            ("outcome" + " warn" * (not result.complete), _text(result_words.outcome(result, say))),
            ("number", _text(result_words.minute(result.begun))),
            ("number", escape(result_words.duration(result))),
            ("remarks" + " warn" * result_words.is_doubted(result), _text(self._remarks(result))),
            ("number code", _text(result.fingerprint)),
        )
        rest = "".join(f'<td class="{kind}">{content}</td>' for kind, content in cells)
        return f'<tr><th scope="row">{_text(result_words.place(result, say))}</th>{rest}</tr>'

    def _remarks(self, result: Listed) -> str:
        return "; ".join(result_words.remarks(result, self._say))

    def _page(self, title: str, style: str, body: str) -> bytes:
        page = (
            f'<!doctype html>\n<html lang="{self._language}"><head><meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n{GENERATOR}\n'
            f'<meta http-equiv="content-security-policy" content="{POLICY}">\n'
            f"<title>{escape(printable(title))}</title>\n"
            f'<link rel="stylesheet" href="{style}"></head>\n<body>{body}'
            f"<footer><p>{escape(self._say('page_counts'))}</p></footer></body></html>\n"
        )
        return page.encode()


def named_in(page: bytes) -> set[str]:
    """Return the files of a site that a page names."""
    return set(FILE_NAME.findall(page.decode(errors="replace")))


def _put(files: dict[str, bytes | None], subject: str, suffix: str, content: bytes) -> str:
    """Add a file and return its name."""
    name = f"{subject}.{hashlib.sha256(content).hexdigest()[:HASH_DIGITS]}.{suffix}"
    files[name] = content
    return name


def _style() -> bytes:
    found = filter(None, map(page_file, STYLES))
    return b"\n".join([*(content for content, _ in found), TILES.encode()])


def _text(text: str) -> str:
    """Return a text of a clock as HTML, isolated from the direction of the texts around it."""
    return f"<bdi>{escape(printable(text))}</bdi>" if text else ""


def _table(table: Mapping[str, Any]) -> str:
    title = f"<h2>{_text(table['title'])}</h2>" if table["title"] else ""
    heads = "".join(f'<th scope="col">{_text(each)}</th>' for each in table["headings"])
    head = f"<thead><tr>{heads}</tr></thead>" if heads else ""
    rows = "".join(
        f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in table["rows"]
    )
    return f'{title}<div class="scroll"><table>{head}<tbody>{rows}</tbody></table></div>'


def _won(result: Listed, side: Side) -> str:
    return "won" if result.winner is side else ""
