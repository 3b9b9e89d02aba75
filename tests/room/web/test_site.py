"""What each address answers."""

import csv
import re
import zipfile
from collections.abc import Iterator
from io import BytesIO
from operator import methodcaller
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from msgspec import structs
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from clock.report.build import summary
from clock.report.results import Reported, as_csv
from clock.ui.i18n import texts
from clock.units import MILLISECOND_NS, SECOND_NS
from lab.support.hubs import Room, fill
from lab.support.last_run import match_in
from lab.support.logs import forged, renamed
from lab.support.paths import DATA
from lab.support.rows import row
from room.boards.effects import EndedLog
from room.boards.register import Register
from room.boards.sanitized import LONGEST_TEXT
from room.hub.hub import Hub
from room.hub.offer_desk import BoardOffer
from room.lines.backlog import Backlog
from room.lines.events import ClockHeard, LinesRead, Place, TroubleChanged
from room.web import match_site
from room.web.access import Access
from room.web.page_files import page_file
from room.web.site import application, qr_code
from tests.eventlog.test_links import ONE, TWO, taken_up

LOG = (DATA / "ebf.jsonl").read_bytes().splitlines()
PLACE = Place("/logs", "/logs", hint="7")
METRIC = r"# (HELP|TYPE) gammonclock_\w+ .+|gammonclock_\w+(\{\w+=\"[^\"]*\"\})? [0-9.e+]+"
PARAMETERS = {"answers", "board", "by", "item", "lang", "last-event-id", "page", "source"}
HOSTILE = "<script>alert(1)</script>\u202e" + "x" * 10_000


def lines(log: list[bytes], place: Place = PLACE, match: str = "m") -> LinesRead:
    return LinesRead(place, match, tuple(log), 0, live=False)


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A hub without a board."""
    with Room() as room:
        room.hub.offers = None
        yield room.hub


@pytest.fixture
def client(hub: Hub) -> TestClient:
    return TestClient(application(hub))


def program_addresses(app: Starlette) -> set[tuple[str, str]]:
    """Each path for programs, with each method that it takes."""
    return {
        (route.path, method)
        for route in app.routes
        if isinstance(route, Route) and route.path.startswith(("/api/1/", "/health", "/metrics"))
        for method in (route.methods or set()) - {"HEAD"}
    }


def get(client: TestClient, path: str) -> Any:
    """The JSON at an address."""
    answer = client.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    return answer.json()


@pytest.mark.rule("R131")
def test_a_match_of_several_logs_is_served_whole(hub: Hub, client: TestClient) -> None:
    """R131: one result with all its logs; its page reports all of them."""
    fill(hub, lines(ONE, match="match"), lines(TWO, Place("/other", "/other"), "second"))
    (result,) = get(client, "/api/1/results")["results"]
    assert (result["put_aside"], result["logs"]) == (True, ["match", "second"])
    report = get(client, "/api/1/matches/second")["report"]["data"]
    assert (report["match"], len(report["turns"])) == ("match", 1)
    assert len(client.get("/api/1/matches/second/log").content.splitlines()) == len(TWO)


@pytest.mark.rule("R220")
def test_after_a_failure_the_director_joins_two_logs_and_parts_them(hub: Hub) -> None:
    """R220: and nobody else; neither with a match that is over, nor with another line."""
    clocks = [Place(f"room/{each}", each, is_file=False, clock=each) for each in "1234"]
    unfinished = match_in("STOPPED").lines
    other = forged(unfinished, 2, lambda line: line.update(wall="2001-01-01T00:00:00+00:00"))
    fill(hub, lines(unfinished, clocks[0], "match"), lines(ONE, clocks[0], "next"))
    later = taken_up(unfinished, "second")
    fill(hub, lines(later, clocks[1], "second"), lines(ONE, clocks[1], "next"))
    fill(hub, lines(LOG, clocks[2], "match"))
    fill(hub, lines(other, clocks[3], "match"), lines(ONE, clocks[3], "next"))
    assert hub.store.flush()
    access = Access("secret", guarded=True)
    client = TestClient(application(hub, access=access))
    body = {"source": "room/2", "earlier": "room/1"}
    path, key = "/api/1/matches/second/joined", {"authorization": "Bearer secret"}

    def shown() -> list[str]:
        return [each["match"] for each in get(client, "/api/1/results")["results"]]

    before = shown()
    assert client.post(path, json=body).status_code == 403
    for origin in ("http://x", "null", "http://["):
        assert client.post(path, json=body, headers=key | {"origin": origin}).status_code == 403
    for earlier, why in (("room/3", "is over"), ("room/4", "has another line there")):
        refused = client.post(path, json=body | {"earlier": earlier}, headers=key)
        assert (refused.status_code, why in refused.json()["error"]) == (409, True)
    assert client.post(path, json=body | {"earlier": "room/9"}, headers=key).status_code == 404
    assert client.post(path, json=body | {"source": "room/9"}, headers=key).status_code == 404
    for content in (b"[]", b'{"source":"\xff"}'):
        assert client.post(path, content=content, headers=key).status_code == 400
    assert shown() == before
    assert client.post(path, json=body, headers=key).status_code == 200
    assert (before.count("match"), shown().count("match")) == (3, 2)
    seen = hub.store.result(("room/2", "second"))
    assert seen is not None
    hub.store.finish("room/2", structs.replace(seen, corrections=7))  # while a request looked at it
    assert hub.join(seen, "room/1")
    renewed = hub.store.result(seen.key)
    assert renewed is not None
    assert (renewed.corrections, renewed.joined) == (7, "room/1")
    assert not hub.join(structs.replace(seen, continues_hash="another"), "")
    assert not hub.join(structs.replace(seen, match="deleted"), "")
    fill(hub, lines(later, clocks[1], "second"), lines(unfinished, clocks[1], "other"))
    whole = next(each for each in get(client, "/api/1/results")["results"] if each["joined"])
    assert (whole["logs"], whole["clocks"]) == (["match", "second"], ["room/1", "room/2"])
    assert get(client, "/api/1/matches/second")["report"]["data"]["match"] == "match"
    assert client.post(path, json=body | {"earlier": ""}, headers=key).status_code == 200
    assert shown().count("match") == 3
    assert get(client, "/api/1/matches/second")["report"]["data"]["match"] == "second"
    unlike: list[dict[str, Any]] = [{"continues_seq": seq} for seq in (0, 99, 1)]
    for change, status in zip([{"continues_hash": ""}, *unlike], (200, 200, 200, 409), strict=True):
        hub.store.finish("room/2", structs.replace(seen, **change))
        answer = client.post(path, json=body | {"earlier": "room/4"}, headers=key)
        assert answer.status_code == status  # as far as the line is known


@pytest.mark.rule("R220")
def test_logs_that_continue_each_other_are_served(hub: Hub, client: TestClient) -> None:
    """R220: each once, as somebody made them up; none is joined with itself."""
    log = taken_up(match_in("STOPPED").lines, "a")
    for own, earlier in ("ab", "ba", "cc"):
        place = Place(f"room/{own}", own, is_file=False, clock=own)
        origin = msgspec.json.decode(log[0])["origin"] | {"match": earlier}
        made = forged(renamed(log, own), 0, methodcaller("update", origin=origin))
        fill(hub, lines(made, place, own), lines(ONE, place, "next"))
    assert hub.store.flush()
    for own, earlier in ("ab", "ba", "cc"):
        body = {"source": f"room/{own}", "earlier": f"room/{earlier}"}
        answer = client.post(f"/api/1/matches/{own}/joined", json=body)
        assert answer.status_code == (404 if own == earlier else 200)
    assert [get(client, f"/api/1/matches/{own}")["source"] for own in "ab"] == ["room/a", "room/b"]


@pytest.mark.rule("R220")
def test_a_result_that_is_computed_anew_stays_joined(hub: Hub) -> None:
    """R220: unless its log continues another one since."""
    later = taken_up(match_in("STOPPED").lines, "second")
    fill(hub, lines(later, PLACE, "second"), lines(ONE, PLACE, "next"))
    seen = hub.store.result((PLACE.key, "second"))
    assert seen is not None
    assert hub.join(seen, "room/1")
    for continues, joined in ((seen.continues, "room/1"), ("other", "")):
        anew = structs.replace(seen, continues=continues)
        hub._finish(EndedLog(PLACE, "second", (), 0), anew)
        assert hub.store.result(seen.key) == structs.replace(anew, joined=joined)


def test_boards_and_results_are_served(hub: Hub, client: TestClient) -> None:
    fill(hub, lines(LOG), ClockHeard(PLACE, 5))
    (board,) = get(client, "/api/1/boards")["boards"]
    (result,) = get(client, "/api/1/results")["results"]
    assert board == get(client, "/api/1/boards/7")
    assert (board["state"], board["certain"]) == ("FINISHED", True)
    alone = {
        "round": 1,
        "conflicts": [],
        "is_other": False,
        "logs": [],
        "missing": "",
        "rivals": [],
    }
    alone |= {"day": "2000-01-01", "clocks": [], "apart": []}
    assert board["result"] | alone == result
    assert get(client, "/api/1/matches/m")["result"] == board["result"] | {"conflicts": []}
    assert (result["players"], result["score"]) == ({"left": "Ada", "right": "Ben"}, [2, 6])
    assert result["clock"] == "00000000"
    assert board["head"] == result["head"] == summary(LOG).fingerprint
    assert (result["winner"], result["flags"], result["complete"]) == ("right", ["left"], True)
    assert get(client, "/api/1/clock") == {"hub_ns": 5}


def closed(schema: Any) -> Any:
    """A schema by which an object has what is described, and nothing else."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(each) for name, each in schema.items()}
    return found | ({"additionalProperties": False} if "properties" in found else {})


def test_each_event_is_as_it_is_described(hub: Hub, client: TestClient) -> None:
    """Its data fit the schema under its name; there is no other event."""
    fill(hub, lines(LOG), lines([b"noise"], PLACE._replace(key="other"), "n"))
    hub.feed.put_gone("9")
    hub.feed.put_offer("7", BoardOffer("7", "id", "sent", "", ""))
    hub.feed.put_ruling("7", BoardOffer("7", "id", "sent", "", ""))
    hub.feed.put_troubles(["no disk"])
    described = get(client, "/api/1/openapi.json")
    of = described["paths"]["/api/1/events"]["get"]["responses"]["200"]["content"]
    schemas = of["text/event-stream"]["x-events"]
    sent = set()
    hub.feed.end()
    for event in (*hub.feed.since(0, None), *client.get("/api/1/events").content.split(b"\n\n")):
        if not event:
            continue
        _, name, data = (line.partition(": ")[2] for line in event.decode().splitlines()[:3])
        schema = closed(schemas[name] | {"components": described["components"]})
        jsonschema.validate(msgspec.json.decode(data), schema)
        sent.add(name)
    assert sent == schemas.keys() - {"tick"}
    latest = f"{hub.feed.store}-{hub.feed.number}"
    by_query = client.get(f"/api/1/events?last-event-id={latest}").text
    for resumed in (client.get("/api/1/events", headers={"last-event-id": latest}).text, by_query):
        assert resumed.startswith(f"id: {latest}\nevent: hello\n")
    hub.room = "club"
    answer = client.get("/api/1/events")
    assert (answer.status_code, '"room":"club"' in answer.text) == (200, True)


def test_the_state_of_the_hub_is_served_as_numbers(hub: Hub, client: TestClient) -> None:
    """In the format of Prometheus, without a name; a broker that fails asks, too."""
    broker = Place("hall", "broker", is_way=True)
    fill(hub, lines(LOG), TroubleChanged(PLACE, "gone"), TroubleChanged(broker, "refused"))
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert f'gammonclock_info{{version="{hub.version}"}} 1' in answer.text.splitlines()
    assert 'gammonclock_boards{state="FINISHED"} 1' in answer.text.splitlines()
    assert 'gammonclock_boards_asking{kind="fault"} 2' in answer.text.splitlines()
    assert "gammonclock_trouble 1" in answer.text.splitlines()
    assert all(re.fullmatch(METRIC, line) for line in answer.text.splitlines())


@pytest.mark.parametrize("allowed", [True, False])
def test_other_sites_read_what_everybody_sees_if_the_director_allows_it(
    hub: Hub, *, allowed: bool
) -> None:
    access = Access("x" * 12, guarded=True)
    access = access._replace(other_sites=True) if allowed else access
    client = TestClient(application(hub, access=access), headers={"origin": "http://elsewhere"})
    answer = client.get("/api/1/boards")
    assert answer.headers.get("access-control-allow-origin") == ("*" if allowed else None)
    asked = {"access-control-request-method": "POST"}
    asked["access-control-request-headers"] = "authorization"
    assert client.options("/api/1/offers", headers=asked).status_code >= 400


def test_a_match_that_two_accounts_sent_is_served_of_both(hub: Hub, client: TestClient) -> None:
    """Each under the key of its account; without one, that of the account that sent it first."""
    other = forged(LOG, 40, lambda fields: fields.update(wall="2030-01-01T00:00:00+00:00"))
    clock, thief = (
        Place(f"hall/{name}", name, is_file=False, hint="7", clock=name) for name in ("a", "b")
    )
    fill(hub, lines(LOG, clock, "play-1"))
    fill(hub, lines(other, thief, "play-1"))
    assert hub.store.flush()
    fill(hub)
    results = get(client, "/api/1/results")["results"]
    assert [(each["source"], each["round"]) for each in results] == [("hall/a", 1), ("hall/b", 1)]
    for own, log in (("hall/a", LOG), ("hall/b", other)):
        path = f"/api/1/matches/play-1?source={own}"
        found = get(client, path)
        assert (found["source"], found["head"]) == (own, summary(log).fingerprint)
        assert [each["agrees"] for each in found["first_heard"]] == [True, False]
        names = {"source", "since", "agrees", "seq", "head", "wall", "fork_seq", "fork_wall"}
        assert {*found["first_heard"][0]} == names
        assert (found["result"]["source"], len(found["result"]["conflicts"])) == (own, 2)
        content = client.get(path.replace("?", "/log?")).content
        assert content == b"".join(line + b"\n" for line in log)
        assert "&source=hall" in found["chart"]
        assert client.get(found["chart"]).status_code == 200
    assert get(client, "/api/1/matches/play-1")["source"] == "hall/a"
    assert b"".join(hub.feed.since(0, None)).count(b"event: result") == len(results)


def test_a_match_has_a_report_in_each_language(
    hub: Hub, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables as in the terminal, values as for programs, the fingerprint, a chart in its words."""
    fill(hub, lines(LOG))
    english, german = (get(client, f"/api/1/matches/m?lang={each}") for each in ("en", "de"))
    assert english["head"] == summary(LOG).fingerprint
    assert english["report"]["data"]["score_right"] == 6
    titles = [[table["title"] for table in each["report"]["tables"]] for each in (english, german)]
    assert len(titles[0]) > 5
    assert titles[0] != titles[1]
    for table in english["report"]["tables"]:
        assert {len(row) for row in table["rows"]} == {len(table["headings"]) or 2}
    for found, language in ((english, "en"), (german, "de")):
        assert found["chart"] == f"/api/1/matches/m/chart.svg?lang={language}"
        drawn = client.get(found["chart"])
        assert drawn.headers["content-security-policy"].startswith("default-src 'none'; style-src")
        assert drawn.content.startswith(b"<?xml")
        assert texts(language)["report_chart_reserve"].encode() in drawn.content
    monkeypatch.setattr(match_site, "has_chart", lambda: False)
    assert get(client, "/api/1/matches/m")["chart"] is None
    assert client.get(found["chart"]).status_code == 404


def test_a_log_is_served_byte_for_byte(hub: Hub, client: TestClient) -> None:
    damaged = [*LOG[:9], b"\xff noise", *LOG[10:]]
    fill(hub, lines(damaged))
    content = client.get("/api/1/matches/m/log").content
    assert content == b"".join(line + b"\n" for line in damaged)
    assert get(client, "/api/1/matches/m")["report"]["damage"].startswith("line 10: ")
    assert client.get("/api/1/matches/m/chart.svg").status_code == 404
    fill(hub, lines([b"noise"], match="n"))
    assert get(client, "/api/1/matches/n")["source"] == ""


@pytest.mark.parametrize(
    "path",
    [
        *("/api/1/boards/9", "/api/1/matches/9", "/api/1/matches/9/log"),
        *("/api/1/matches/9/chart.svg", "/api/1/nothing", "/api/boards"),
        *("/static/none.js", "/static/../hub.py", "/static/%2e%2e/hub.py", "/static/.hidden.js"),
        *("/static//etc/passwd", "/static/style.css%00.js", "/qr/board", "/nothing"),
    ],
)
def test_what_there_is_not_is_not_found(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_no_file_outside_the_pages_is_found(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    (pages / "words").mkdir(parents=True)
    inside = (pages / name for name in (".hidden.js", r"a\b.js", "words/de.json"))
    for file in (tmp_path / "secret.js", *inside):
        file.write_text("{}", encoding="utf-8")
    (pages / "notes.md").touch()
    assert page_file("words/de.json", pages) == (b"{}", "application/json")
    outside = ("../secret.js", "words/../../secret.js", str(tmp_path / "secret.js"), "", "..")
    hidden = (".hidden.js", "notes.md", "words", "./words/de.json", "a\0.js", r"a\b.js")
    for path in (*outside, *hidden):
        assert page_file(path, pages) is None


@pytest.mark.parametrize(
    "path", ["/api/1/boards", "/api/1/results.csv", "/qr/board/7.svg", "/nothing"]
)
def test_every_answer_is_fresh_and_closed(client: TestClient, path: str) -> None:
    """The page that a program for streams puts into its picture takes styles from there."""
    style = client.get("/static/style.css").headers["content-type"]
    assert style == "text/css; charset=utf-8"
    assert "'unsafe-inline'" in client.get("/overlay/7").headers["content-security-policy"]
    headers = client.get(path).headers
    assert headers["cache-control"] == "no-store"
    assert headers["content-security-policy"].startswith("default-src 'self';")
    assert headers["x-content-type-options"] == "nosniff"


def test_a_qr_code_leads_to_the_page(hub: Hub, client: TestClient) -> None:
    """At the address that the browser uses, or the one that other devices find."""
    answer = client.get("/qr/board/7.svg")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert answer.content == qr_code("http://testserver/board/7")
    assert b"<path" in answer.content
    public = TestClient(application(hub, address="http://192.168.1.7:8037/"))
    assert get(public, "/api/1/address") == {"address": "http://192.168.1.7:8037/"}
    assert get(client, "/api/1/address") == {"address": "http://testserver/"}
    assert public.get("/qr/wall.svg").content == qr_code("http://192.168.1.7:8037/wall")
    assert client.get(f"/qr/{'x' * 5000}.svg").status_code == 404


def test_a_parameter_that_means_nothing_is_refused(hub: Hub) -> None:
    """By each address for programs; those that it takes stand in its description."""
    hub.feed.end()  # an event stream that is opened all the same ends at once
    app = application(hub, access=Access("of these tests"))
    client = TestClient(app, headers={"authorization": "Bearer of these tests"})
    described = get(client, "/api/1/openapi.json")["paths"]
    takes = {
        (path, method.upper()): {each["name"] for each in of["parameters"] if each["in"] == "query"}
        for path, operations in described.items()
        for method, of in operations.items()
    }
    every = PARAMETERS | {"bord"}
    assert set[str]().union(*takes.values()) == PARAMETERS
    for path, method in sorted(program_addresses(app)):
        with row(f"{method} {path}"):
            answer = client.request(method, path, params=dict.fromkeys(every, "7"))
            assert answer.status_code == 400, answer.text[:200]
            unknown = sorted(every - takes.get((path, method), set()))
            assert answer.json() == {"error": f"unknown parameter: {', '.join(unknown)}"}


def test_another_name_for_this_computer_is_refused(hub: Hub) -> None:
    app = application(hub, hosts=("127.0.0.1", "localhost"))
    assert TestClient(app, "http://127.0.0.1:8037").get("/api/1/boards").status_code == 200
    assert TestClient(app, "http://rebound.example").get("/api/1/boards").status_code == 400
    app = application(hub, hosts=("www.club.example",))
    assert TestClient(app, "http://club.example").get("/api/1/boards").status_code == 400


def test_hostile_names_are_text(hub: Hub, client: TestClient) -> None:
    hostile = forged(LOG, 0, lambda fields: fields["settings"].update(names=[HOSTILE, "=1+1"]))
    fill(hub, lines(hostile))
    (board,) = get(client, "/api/1/boards")["boards"]
    left, right = board["players"]["left"]["name"], board["players"]["right"]["name"]
    assert left == HOSTILE.replace("\u202e", "")[:LONGEST_TEXT]
    assert right == "=1+1"
    rows = client.get("/api/1/results.csv").text.splitlines()
    assert ",'=1+1," in rows[1]
    assert len(client.get("/api/1/boards").content) < 9000


@pytest.mark.rule("R105")
def test_the_csv_is_that_of_the_report(hub: Hub, client: TestClient) -> None:
    """The same names in the same order, and the same values; a hub has no file, but rounds."""
    fill(hub, lines(LOG))
    [ours] = csv.DictReader(client.get("/api/1/results.csv").text.splitlines())
    reported = as_csv([Reported("ebf.jsonl", summary(LOG))], every_turn=False).decode()
    [theirs] = csv.DictReader(reported.splitlines())
    assert list(ours) == list(theirs)
    alone = {name: (ours[name], theirs[name]) for name in ours if ours[name] != theirs[name]}
    files = {"file": ("", "ebf.jsonl"), "match": ("m", "play-1")}
    assert alone == files | {"round": ("1", ""), "forks": ("0", "")}


def test_the_results_are_a_workbook_too(hub: Hub, client: TestClient) -> None:
    fill(hub, lines(LOG))
    answers = client.get("/api/1/results.csv"), client.get("/api/1/results.xlsx?lang=de")
    for answer, kind in zip(answers, ("csv", "xlsx"), strict=True):
        assert answer.headers["content-disposition"] == f'attachment; filename="results.{kind}"'
    with zipfile.ZipFile(BytesIO(answers[1].content)) as book:
        assert b'name="Runde 1"' in book.read("xl/workbook.xml")


def test_the_files_name_the_round_of_a_match_and_leave_out_practice(
    hub: Hub, client: TestClient
) -> None:
    """The round as its settings call it; what nobody plays for is no result."""
    fill(hub, lines(forged(LOG, 0, lambda fields: fields["settings"].update(round="Final"))))
    [final] = hub.store.results()
    hub.store.finish(PLACE.key, structs.replace(final, match="p", practice=True))
    assert len(get(client, "/api/1/results")["results"]) == 2
    for each in csv.DictReader(client.get("/api/1/results.csv").text.splitlines()):
        assert (each["match"], each["round"]) == ("m", "Final")
    assert [each["round"] for each in get(client, "/api/1/results.json")] == ["Final"]
    with zipfile.ZipFile(BytesIO(client.get("/api/1/results.xlsx").content)) as book:
        sheet = book.read("xl/worksheets/sheet1.xml")
    assert sheet.count(b"<row ") == 2


def test_the_json_has_the_columns_of_the_csv(hub: Hub, client: TestClient) -> None:
    """In the same order, as numbers and texts; what the hub does not know is null."""
    fill(hub, lines(LOG))
    [row] = csv.DictReader(client.get("/api/1/results.csv").text.splitlines())
    [values] = get(client, "/api/1/results.json")
    assert list(values) == list(row)
    missing = {name for name, text in row.items() if not text}
    assert {name for name, value in values.items() if value is None} == missing
    assert values["score_left"] == int(row["score_left"])


def test_words_are_served(client: TestClient) -> None:
    """In four languages; English for any other."""
    assert get(client, "/api/1/words?lang=de")["ready"] == "Bereit"
    assert get(client, "/api/1/words?lang=xx") == get(client, "/api/1/words?lang=en")
    assert get(client, "/api/1/words")["report_results"]


def test_a_backlog_is_a_trouble_of_the_pages_and_of_the_health(
    hub: Hub, client: TestClient
) -> None:
    """From 5 s on; monitoring reads lines and age, and the status."""
    hub.update(everything=True)
    assert get(client, "/health") | {"version": ""} == {
        "status": "ok",
        "troubles": [],
        "lines_waiting": 0,
        "oldest_s": 0.0,
        "version": "",
    }
    hub.upstream = lambda: Backlog(4800, 27 * SECOND_NS + 149 * MILLISECOND_NS)
    hub.update(everything=True)
    behind = "The hub is 27 s behind the clocks: 4800 lines wait"
    answer = client.get("/health")
    found = answer.json()
    assert (answer.status_code, found["status"], found["troubles"]) == (503, "trouble", [behind])
    assert (found["lines_waiting"], found["oldest_s"]) == (4800, 27.1)
    assert get(client, "/api/1/boards")["troubles"] == [behind]
    reader = TestClient(application(hub, access=Access("x" * 12, guarded=True)))
    assert reader.get("/health").json() == found | {"troubles": []}


def test_troubles_of_the_database_are_served(
    hub: Hub, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub.store, "troubles", lambda: ["disk full"])
    fill(hub)
    assert get(client, "/api/1/boards")["troubles"] == ["disk full"]
    (event,) = hub.feed.since(0, None)
    said = {"troubles": ["disk full"], "said": [{"text": "disk full"}]}
    assert msgspec.json.decode(event.split(b"data: ")[1]) == said


def test_results_of_the_database_are_there_from_the_start(hub: Hub) -> None:
    fill(hub, lines(LOG))
    again = Hub(Register(0), hub.store, lambda: 5)
    assert b"event: result" in b"".join(again.feed.since(0, None))
