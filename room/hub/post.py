"""A batch of notices as a request, and how it is sent.

`json` is one documented body (docs/room.md). `ntfy` is text with the headers of https://ntfy.sh, so
that a phone shows title, priority and a link.
"""

import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any, NamedTuple

import msgspec

from room.boards.sanitized import clean
from room.hub.notices import Notice, Words
from room.hub.outbox import Batch
from room.hub.words import hub_message
from room.settings.tables import NotifyTable

TIMEOUT_S = 10
URGENT = ("call", "flag", "hub")
LONGEST_LINES = 10  # of a text on a phone


class PostError(Exception):
    """A request was not taken; the message says why."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token is for this address alone."""

    def redirect_request(self, *_: Any) -> None:
        """See `urllib.request.HTTPRedirectHandler`."""
        return


class About(NamedTuple):
    """The room of which notices tell."""

    words: Words
    room: str = ""
    page: str = ""  # the address of its pages, without a token
    names: bool = False  # whether notices may name players


def request_of(batch: Batch, settings: NotifyTable, about: About) -> urllib.request.Request:
    """Return the request that sends a batch.

    Args:
        batch: the notices.
        settings: where to, and how.
        about: the room.
    """
    body, headers = _ntfy(batch, about) if settings.kind == "ntfy" else _json(batch, about)
    if settings.token:
        headers["Authorization"] = f"Bearer {settings.token}"
    url = settings.url  # of http or https: its settings allow nothing else
    return urllib.request.Request(url, body, headers)  # noqa: S310


def send(request: urllib.request.Request) -> None:
    """Send a request, and wait for its answer.

    Raises:
        PostError: it was not taken.
    """
    opener = urllib.request.build_opener(_NoRedirect)  # here, because it reads all certificates
    try:
        opener.open(request, timeout=TIMEOUT_S).close()
    except urllib.error.HTTPError as error:
        error.close()
        status = clean(f"{error.code} {error.reason}")
        raise PostError(hub_message("answers", host=request.host, status=status)) from error
    except (OSError, HTTPException, ValueError) as error:
        why = getattr(error, "reason", None) or error
        raise PostError(clean(f"{request.host}: {why}")) from error


def _json(batch: Batch, about: About) -> tuple[bytes, dict[str, str]]:
    body = {"version": 1, "room": about.room, "page": about.page}
    told = {"notices": batch.notices, "left_out": batch.left_out}
    return msgspec.json.encode(body | told), {"Content-Type": "application/json"}


def _ntfy(batch: Batch, about: About) -> tuple[bytes, dict[str, str]]:
    lines = [_line(each) for each in batch.notices[:LONGEST_LINES]]
    more = len(batch.notices) - len(lines) + batch.left_out
    lines += [about.words["notice_more"].replace("{n}", str(more))] if more else []
    urgent = any(each.kind in URGENT for each in batch.notices)
    priority = "high" if urgent else "default"
    headers = {"Title": about.room, "Priority": priority, "Click": about.page}
    return "\n".join(lines).encode(), headers


def _line(notice: Notice) -> str:
    names = ", ".join(filter(None, notice.players))
    return f"{notice.text} ({names})" if names else notice.text
