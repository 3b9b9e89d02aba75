"""The pages that need no installation say what the commands print, and send nothing anywhere."""

import gzip
import os
import pickle
import random
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Locator, Page, Route, expect

from clock.apps.script import parse
from clock.config.loader import parse_settings
from clock.match.durations import duration_text
from clock.match.profiles import PROFILES, breaks_allowed
from clock.match.types import Button
from clock.ui.i18n import LANGUAGES
from clock.units import SECOND_NS
from clock.virtual import VirtualClock
from hardware.display.layout import draw
from hardware.face import Face
from lab.browser import make, number_release
from lab.forged_logs import MUTATIONS
from lab.support.commands import said
from lab.support.forgeries import case, text
from lab.support.logs import monkey_logs, renamed
from lab.support.match_scripts import random_match
from lab.support.needs import needs
from lab.support.paths import DATA, ROOT
from lab.support.watch_program import WatchProgram
from tests.browser.conftest import LAPTOP, PATIENCE_MS, VIEWS, Judge, View, look
from tests.browser.test_tabs import NO_LOCKS
from tests.config.test_examples import EXAMPLES, damaged

CASES = int(os.environ.get("BROWSER_CASES", "20"))  # logs; of settings it is a third
FORGET = """() => {
  delete document.querySelector("pre[data-output]").dataset.exit;
  document.querySelector("#state").replaceChildren();
}"""
LOGS = sorted(DATA.glob("*.jsonl"))
POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'"
PAGES = ("index", "settings", "proof", "report", "practice")


class Handler(SimpleHTTPRequestHandler):
    """A server that knows pages and modules, and has no name for all else."""

    extensions_map = {".html": "text/html", ".js": "text/javascript", "": "x/unknown"}  # noqa: RUF012

    def end_headers(self) -> None:
        """Refuse what the pages promise not to do; a worker has no policy but that of a server."""
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages that `make test IN=browser` has made, or made here once."""
    if dist := os.environ.get("DIST"):
        return Path(dist, "browser").absolute()
    folder = tmp_path_factory.mktemp("browser") / "pages"
    needs("npm")
    make(folder)
    return folder


@pytest.fixture(scope="session")
def address(built: Path) -> Iterator[str]:
    """Where the pages are served."""
    with served(built) as address:
        yield address


@contextmanager
def opened(browser: Browser, address: str) -> Iterator[Page]:
    """A page of a browser without a past; what it asks of elsewhere, and errors, are failures."""
    with browser.new_context(viewport=LAPTOP, locale="en-GB", timezone_id="UTC") as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda said: problems.extend([said.text] * (said.type == "error")))
        asked: list[str] = []
        context.on("request", lambda request: asked.append(request.url))
        yield page
        assert problems == []
        assert [each for each in asked if not each.startswith((address, "blob:", "data:"))] == []


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with opened(browser, address) as page:
        yield page


@pytest.fixture
def page_of_hub(browser: Browser, hub: str) -> Iterator[Page]:
    with opened(browser, hub) as page:
        yield page


def printed(folder: Path, *arguments: str) -> tuple[str, str]:
    """Return what a command prints, output and then errors, and its exit code."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80", "TZ": "UTC"}
    command = [sys.executable, "-m", "gammonclock", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    return (done.stdout + done.stderr).decode(), str(done.returncode)


def shown(page: Page, files: list[Path]) -> tuple[str, str]:
    """Give a page files; return what it shows, and the exit code."""
    found = page.locator("pre[data-output]")
    page.evaluate(FORGET)
    page.set_input_files("input[type=file]", [])  # the same again would be no change
    page.set_input_files("input[type=file]", [str(file) for file in files])
    page.locator("pre[data-exit], #state.bad:not(:empty)").first.wait_for()
    return found.text_content() or "", found.get_attribute("data-exit") or ""


@pytest.mark.slow
def test_a_verdict_is_that_of_the_command(page: Page, address: str, tmp_path: Path) -> None:
    """Of a log, one that is none, two together, and one that would fill the memory."""
    page.goto(f"{address}/proof.html")
    (tmp_path / "none.jsonl").write_text("not a log\n")
    (tmp_path / "-- <b>Büro.jsonl").write_bytes(LOGS[0].read_bytes())
    bomb = gzip.compress(LOGS[0].read_bytes() + bytes(200 << 20), 1)
    (tmp_path / "bomb.jsonl").write_bytes(bomb)
    nested = b'{"v":2,"version":"1","more":' + b"[" * 100_000
    (tmp_path / "nested.jsonl").write_bytes(LOGS[0].read_bytes() + nested)
    names = ("none.jsonl", "nested.jsonl", "-- <b>Büro.jsonl", "bomb.jsonl")
    odd = [[tmp_path / name] for name in names]
    for files in [*odd, LOGS[:2]]:
        for file in files:
            (tmp_path / file.name).write_bytes(file.read_bytes())
        expected = printed(tmp_path, "verify", "--", *(file.name for file in files))
        assert shown(page, files) == expected, files
    assert page.locator("main b").count() == 0


@pytest.mark.slow
def test_the_verdicts_on_many_logs_are_those_of_the_command(
    page: Page, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of whole logs and forged ones, BROWSER_CASES of them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    page.goto(f"{address}/proof.html")
    for number in range(CASES):
        if number % 5:
            forgery = case(MUTATIONS[number % len(MUTATIONS)], number).data
        else:
            forgery = text(max(monkey_logs(number, 60), key=len))
        file = tmp_path / "match.jsonl"
        file.write_bytes(forgery)
        done = said("verify", "--", file.name)
        assert shown(page, [file]) == (done.stdout + done.stderr, str(done.exit_code)), number


@pytest.mark.slow
def test_many_settings_are_judged_as_by_the_command(
    page: Page, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of damaged files, and of those that the form cannot show."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    page.goto(f"{address}/settings.html")
    page.locator("pre[data-exit]").wait_for()
    for number in range(CASES * 3 // 10):
        chance = random.Random(number)
        file = tmp_path / "gammonclock.toml"
        content = chance.choice(EXAMPLES).read_bytes()
        file.write_bytes(damaged(content, chance) if number % 4 else content)
        done = said("check-config", file.name)
        assert shown(page, [file]) == (done.stdout + done.stderr, str(done.exit_code)), number


WRONG_SETTINGS = (  # and the field that is wrong; "": none of the form
    (b"[match]\nlength = 100\n", "match.length"),
    (b'[match]\nnames = ["Ada"]\n', "match.names"),
    (b"[match]\nscore = [11, 0]\n", "match.score"),
    (b'[rules]\ndelay = "0:99"\n', "rules.delay"),
    (b'[match]\nplay = "doubles"\n[rules]\ntime_per_point = "3:00"\n', "rules.delay"),
    (b'[rules]\ntime_per_point = "none"\n[match]\nreserves = ["1:00", "1:00"]\n', "match.reserves"),
    (b'[[preset]]\nname = "Final"\nlength = 0\n', "preset.0.length"),
    (b"[[preset]]\nlength = 5\n", "preset.0.name"),
    (b"[match]\nlenght = 5\n", ""),
    (b"[match]\nlength = 5\nlength = 7\n", ""),
    (b"[match]\nlength = seven\n", ""),
    (b"[match]\nlength = " + b"[" * 60_000, ""),
    ("[match]\n".encode("utf-16"), ""),
    (b"\xff", ""),
)


@pytest.mark.slow
def test_what_is_wrong_with_settings_is_said_in_the_language_of_the_page(
    page: Page, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Byte for byte as by the command, and the same at the field."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "gammonclock.toml"
    for language in LANGUAGES:
        page.goto(f"{address}/settings.html?language={language}")
        page.locator("pre[data-exit]").wait_for()
        for content, field in WRONG_SETTINGS:
            file.write_bytes(content)
            done = said("check-config", file.name, "--language", language)
            assert shown(page, [file]) == (done.stderr, "2"), (language, content[:60])
            message = done.stderr.strip().removeprefix("gammonclock: ")
            expect(page.locator("#state")).to_have_text(message)
            errors = page.locator("[id$='-error']:not(:empty)")
            expect(errors).to_have_count(1 if field else 0)
            if field:
                expect(page.locator(f"[id='{field}-error']")).to_have_text(message)
            if b"doubles" in content:  # nothing usual stands where something is missing
                expect(page.locator(f"[id='{field}']")).to_have_attribute("placeholder", "")


def test_the_fields_of_the_form_are_in_the_language_of_the_page(page: Page, address: str) -> None:
    """Also those of a preset, and what is chosen: but for the names of federations and parts."""
    texts = []
    for language in ("en", "de"):
        page.goto(f"{address}/settings.html?language={language}")
        page.get_by_role("button", name=re.compile("preset|Vorgabe")).first.click()
        page.locator("#presets fieldset").wait_for()
        texts.append(page.locator("#form label > span").all_text_contents())
        expect(page.locator("[id='display.language']")).to_have_value(language)
        page.select_option("[id='rules.profile']", "nbgf")
        expect(page.locator("#text")).to_have_value(re.compile("nbgf"))
        expect(page.locator("#presets fieldset")).to_have_count(1)  # is kept
    assert len(texts[0]) == len(texts[1]) > 80
    assert [same for same, german in zip(*texts, strict=True) if same == german] == ["Format"] * 2
    options = page.locator("select[id^=match] option, select[id^=rules] option")
    chosen = options.evaluate_all("(all) => all.map(({ value, text }) => [value, text])")
    assert {value for value, text in chosen if value == text} == {*PROFILES}


@pytest.mark.slow
def test_a_report_is_that_of_the_command(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(f"{address}/report.html")
    for log, view in zip(LOGS, ("", "--turns", "--rulings", "--csv", "--json"), strict=False):
        page.select_option("#view", view)
        file = tmp_path / f"-{log.name}"
        file.write_bytes(log.read_bytes())
        expected = printed(tmp_path, "report", *[view][: bool(view)], "--", file.name)
        assert shown(page, [file]) == expected, view


def test_settings_are_written_by_the_form(page: Page, address: str) -> None:
    """What is typed stands in the file as TOML has it; an error stands at its field."""
    page.goto(f"{address}/settings.html")
    page.locator("pre[data-exit]").wait_for()
    page.fill("[id='match.length']", "9")
    page.fill("[id='match.names']", "Ada, Ben")
    page.select_option("[id='rules.profile']", "us")
    page.fill("[id='rules.delay']", "0:99")
    page.press("[id='rules.delay']", "Tab")
    page.locator("[id='rules.delay-error']").wait_for()
    page.fill("[id='rules.delay']", "0:10")
    page.press("[id='rules.delay']", "Tab")
    page.locator("[id='rules.delay-error']").wait_for(state="hidden")
    enter(page, {"rules.time_per_match": "6:00"})
    expect(page.locator("[id='rules.time_per_match-sum']")).to_have_text("9 x 2:00 + 6:00 → 24:00")
    enter(page, {"rules.time_per_match": ""})
    expect(page.locator("[id='rules.time_per_match-sum']")).to_have_text("")
    page.locator("pre[data-exit='0']").wait_for()
    written = parse_settings(page.input_value("#text"), "form")
    assert written.match.length == 9
    assert [*written.match.names] == ["Ada", "Ben"]
    assert written.match.rules.delay_ns == 10 * SECOND_NS
    assert "US" in page.input_value("#text").splitlines()[0]  # the comments of its own file
    look(page, VIEWS["phone"])
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_a_file_keeps_what_the_form_does_not_know(page: Page, address: str, tmp_path: Path) -> None:
    file = tmp_path / "gammonclock.toml.txt"
    pins = "pins = { left = 5, right = 6, centre = 13 }"
    lines = ["\ufeff# Ours", "[match]", "length = 5", "[buttons]", pins, ""]
    file.write_bytes("\r\n".join(lines).encode())
    page.goto(f"{address}/settings.html")
    page.locator("pre[data-exit]").wait_for()
    page.set_input_files("input[type=file]", str(file))
    expect(page.locator("[id='match.length']")).to_have_value("5")
    page.fill("[id='match.length']", "7")
    page.press("[id='match.length']", "Tab")
    expect(page.locator("pre")).to_contain_text("7 points")
    kept = page.input_value("#text")
    assert "# Ours" in kept
    assert pins in kept
    page.select_option("[id='rules.profile']", "us")
    expect(page.locator("#text")).to_have_value(re.compile('profile = "us"'))
    assert "# Ours" in page.input_value("#text")


DRAW = """
import pickle, sys
sys.path.insert(0, "browser")
import pixels
pixels.register()
from hardware.display.layout import draw
faces = pickle.load(sys.stdin.buffer)
sys.stdout.buffer.write(b"".join(draw(face).tobytes() for face in faces))
"""


def test_pixels_are_those_of_the_panels() -> None:
    """What takes Pillow's place in the browser draws the same, whatever is shown."""
    dice = random.Random(1)
    faces: set[Face] = set()
    for language in LANGUAGES:
        names = 'names = ["Žofia Ødegård", "Βασίλης"]'
        clock = VirtualClock(f'[match]\nlength = 3\n{names}\n[display]\nlanguage = "{language}"\n')
        for _ in range(60):
            clock.press(dice.choice([*Button]), after=dice.choice([1, 5, 70]))
            faces |= {*clock.faces}
            if not dice.randrange(6):
                faces |= {*clock.hold().faces}
        clock.close()
    shown = sorted(faces, key=str)
    command = [sys.executable, "-c", DRAW]
    drawn = subprocess.run(
        command, cwd=ROOT, input=pickle.dumps(shown), capture_output=True, check=True
    )
    assert drawn.stdout == b"".join(draw(face).tobytes() for face in shown)


def left_panel(page: Page) -> Locator:
    """The left panel, whose label has its words."""
    return page.locator("#left")


def test_a_match_is_practised_and_outlives_its_page(page: Page, address: str) -> None:
    page.goto(f"{address}/practice.html")
    left, right = page.locator("#left"), page.locator("#right")
    expect(left).to_have_attribute("aria-label", re.compile("Confirm"))
    for key in "al l":
        page.keyboard.press(key)
    expect(left).to_have_attribute("aria-label", re.compile("7, Delay"))  # the lower roll pressed
    while "Delay" not in (right.get_attribute("aria-label") or ""):
        page.keyboard.press("a")  # within 40 ms of the press before both are one event (R217)
    page.keyboard.press(" ")
    expect(left).to_have_attribute("aria-label", re.compile("Stopped"))
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the log").click()
    assert said("verify", saved.value.path()).stdout.startswith("CONSISTENT")
    page.keyboard.down(" ")
    expect(left).to_have_attribute("aria-label", re.compile("Director"))
    page.keyboard.up(" ")
    page.reload()
    expect(left).to_have_attribute("aria-label", re.compile("Stopped"))


def test_a_lesson_is_learned_and_leaves_the_match_as_it_was(page: Page, address: str) -> None:
    page.goto(f"{address}/practice.html")
    expect(left_panel(page)).to_have_attribute("aria-label", re.compile("Confirm"))
    for key in "al l ":
        page.keyboard.press(key)
    expect(left_panel(page)).to_have_attribute("aria-label", re.compile("Stopped"))
    page.select_option("#lesson", "stop")
    task = page.locator("#task")
    expect(task).to_contain_text("Stop the clock")
    page.locator("#centre-button").click()
    expect(task).to_contain_text("Now go on")
    page.locator("#centre-button").click()
    expect(task).to_contain_text("That is it")
    page.reload()
    expect(left_panel(page)).to_have_attribute("aria-label", re.compile("Stopped"))
    expect(task).to_be_hidden()


def test_a_match_of_hours_is_written_as_by_play(page: Page, address: str, tmp_path: Path) -> None:
    """Byte for byte, but for the name of the match and what says that the buttons are simulated."""
    settings = '[match]\nlength = 9\n[rules]\ntime_per_point = "12:00"\n'
    script = random_match(parse_settings(settings, "").match, 1, 120).script
    (tmp_path / "match.toml").write_text(settings)
    (tmp_path / "match.script").write_text(script)
    played = said("play", tmp_path / "match.script", "--config", tmp_path / "match.toml")
    page.goto(f"{address}/practice.html")
    page.locator("#lesson option").nth(1).wait_for(state="attached")
    files = page.evaluate(ACTS, [settings, [*acts_of(script)]])
    (log,) = (bytes.fromhex(files[name]) for name in files if name.endswith("0.jsonl"))
    lines = [line.replace(b'"stamps":"software",', b"") for line in log.splitlines()]
    assert renamed(lines, "play-1") == played.stdout_bytes.splitlines()
    hours = 3600 * 10**9
    assert sum(segment.end_ns for segment in parse(script, "")) > 3 * hours


ACTS = """async ([settings, acts]) => {
  const { Runtime } = await import("/runtime.js");
  const runtime = new Runtime();
  const ask = (call, ...args) => runtime.json("practice_clock", call, args);
  await ask("begin", settings, "");
  for (const act of acts) await ask(...act);
  return ask("files");
}"""


def acts_of(script: str) -> Iterator[tuple[object, ...]]:
    """Yield the acts of a script as the page gives them to its clock."""
    for number, segment in enumerate(parse(script, "")):
        if number:
            yield ("cut",)
        at_ns = 0
        for move in segment.moves:
            yield "move", move.button.value, move.down, (move.at_ns - at_ns) / SECOND_NS
            at_ns = move.at_ns
        yield "wait", (segment.end_ns - at_ns) / SECOND_NS


@pytest.fixture
def playing(page: Page, address: str) -> Page:
    """A match that is practised, whose left clock runs; the test moves the browser's clock."""
    page.clock.install()
    page.goto(f"{address}/practice.html")
    page.clock.resume()
    expect(left_panel(page)).to_have_attribute("aria-label", re.compile("Confirm"))
    for key in "al l":
        page.keyboard.press(key)
    expect(left_panel(page)).to_have_attribute("aria-label", re.compile("7, Delay"))
    return page


def test_a_hidden_tab_plays_on(playing: Page) -> None:
    """Its timers come once a minute; what counts is the time between two readings."""
    for minutes in ("1[23]", "1[12]", "1[01]"):
        playing.clock.fast_forward(60_000)
        expect(left_panel(playing)).to_have_attribute("aria-label", re.compile(rf"^{minutes}:\d\d"))


@pytest.mark.parametrize("moved", [["Date.now"], ["Date.now", "performance.now"]])
def test_a_computer_that_slept_stops_the_match(playing: Page, moved: list[str]) -> None:
    """Nobody's time ran, and a sentence says so; on Windows both clocks go on meanwhile."""
    for clock in moved:
        playing.evaluate(
            f"const now = {clock}.bind({clock.partition('.')[0]}); {clock} = () => now() + 1620000"
        )
    expect(left_panel(playing)).to_have_attribute("aria-label", re.compile("Stopped"))
    expect(left_panel(playing)).to_have_attribute("aria-label", re.compile(r"14:00|13:5\d"))
    expect(playing.locator("#state")).to_contain_text("The computer slept from")


def test_that_nothing_is_kept_is_said_before_a_match(page: Page, address: str) -> None:
    page.add_init_script("Storage.prototype.setItem = () => { throw new Error('full'); }")
    page.goto(f"{address}/practice.html")
    expect(left_panel(page)).to_have_attribute("aria-label", re.compile("Confirm"))
    expect(page.locator("#state")).to_contain_text("keeps nothing")


@pytest.mark.parametrize("name", ["proof", "practice"])
def test_a_program_that_has_ended_is_said_to_have(page: Page, address: str, name: str) -> None:
    """Whatever has ended it, also while a page waits for it; what to do is said, too."""
    page.goto(f"{address}/{name}.html?language=da")
    if name == "practice":
        expect(left_panel(page)).to_have_attribute("aria-label", re.compile("Bekræft"))
    else:
        expect(page.locator("#state")).to_have_text("Klar.")
    page.workers[0].evaluate("close()")
    state = page.locator("#state")
    expect(state).to_contain_text("programmet er stoppet")
    expect(state).to_contain_text("Luk andre faner, og genindlæs siden")
    if name == "proof":
        page.set_input_files("input[type=file]", str(LOGS[0]))
        expect(page.locator("#given li")).to_have_count(1)
        expect(state).to_contain_text("programmet er stoppet")


@pytest.mark.parametrize("part", ["worker.js", "pyodide.asm.wasm.bin", "program.zip"])
def test_a_program_that_cannot_be_loaded_is_said_not_to_be_there(
    browser: Browser, address: str, part: str
) -> None:
    with browser.new_context(locale="en-GB") as context:
        page = context.new_page()
        context.route(f"**/{part}", lambda route: route.fulfill(body=b"none"))
        page.goto(f"{address}/proof.html")
        expect(page.locator("#state")).to_contain_text("Close other tabs and load this page again")
        page.set_input_files("input[type=file]", str(LOGS[0]))
        expect(page.locator("#state")).to_contain_text("That did not work")


def test_a_page_that_the_browser_ended_is_said_to_have_been(page: Page, address: str) -> None:
    """At the next visit of its tab; a page that was left is not."""
    page.goto(f"{address}/proof.html?language=nb")
    page.reload()
    page.locator("#state:not(:empty)").wait_for()
    expect(page.locator(".notice")).to_have_count(0)
    mark = page.evaluate("JSON.stringify(sessionStorage)")
    page.goto(f"{address}/index.html")
    page.evaluate("(mark) => Object.assign(sessionStorage, JSON.parse(mark))", mark)
    page.goto(f"{address}/proof.html?language=nb")
    expect(page.locator(".notice")).to_contain_text("Sist avsluttet nettleseren denne siden")


def test_a_match_that_nothing_keeps_is_not_left_without_a_question(
    browser: Browser, address: str
) -> None:
    with browser.new_context(locale="en-GB") as context:
        page = context.new_page()
        page.add_init_script("Storage.prototype.setItem = () => { throw new Error('full'); }")
        page.goto(f"{address}/practice.html")
        expect(page.locator("#state")).to_contain_text("keeps nothing")
        page.locator("#speed").focus()
        page.keyboard.press("ArrowDown")
        asked: list[str] = []

        def accept(dialog: Dialog) -> None:
            asked.append(dialog.type)
            dialog.accept()

        page.on("dialog", accept)
        page.reload()
        assert asked == ["beforeunload"]


def test_a_file_that_was_changed_can_be_chosen_again(
    page: Page, address: str, tmp_path: Path
) -> None:
    page.goto(f"{address}/proof.html")
    file = tmp_path / "match.jsonl"
    for content, code in ((b"not a log\n", "4"), (LOGS[0].read_bytes(), "0")):
        file.write_bytes(content)
        with page.expect_file_chooser() as chooser:
            page.click("input[type=file]")
        chooser.value.set_files(file)
        expect(page.locator("pre")).to_have_attribute("data-exit", code)


MARK_READY = """
window.Worker = class extends Worker {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", ({ data }) => {
      if (data.ready) document.documentElement.dataset.ready = "";
    });
  }
};
"""


def test_a_file_that_is_chosen_before_the_page_has_its_words_is_judged(
    page: Page, address: str
) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/words/en.json", hold, times=1)
    page.goto(f"{address}/proof.html", wait_until="domcontentloaded")
    page.set_input_files("input[type=file]", str(LOGS[0]))
    while not held:
        page.wait_for_timeout(10)
    held[0].continue_()
    expect(page.locator("pre[data-exit]")).to_contain_text("CONSISTENT")


def test_a_file_that_is_too_large_is_refused(page: Page, address: str, tmp_path: Path) -> None:
    with (tmp_path / "match.jsonl").open("wb") as file:
        file.truncate(200 << 20)
    page.add_init_script(MARK_READY)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/runtime/*.zip", hold, times=1)
    page.goto(f"{address}/proof.html")
    page.set_input_files("input[type=file]", str(tmp_path / "match.jsonl"))
    expect(page.locator("#state")).to_contain_text("match.jsonl has more than 64 MB")
    while not held:
        page.wait_for_timeout(10)
    held[0].continue_()
    page.locator("html[data-ready]").wait_for(state="attached")
    expect(page.locator("#state")).to_contain_text("match.jsonl has more than 64 MB")


HUB = """
import sys
from pathlib import Path
from room.web import page_files
page_files.BROWSER_PAGES = Path({folder!r})
from gammonclock.__main__ import main
main()
"""


@pytest.fixture(scope="module")
def hub(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a hub that finds the pages."""
    program = (sys.executable, "-c", HUB.format(folder=str(built)))
    with WatchProgram(tmp_path_factory.mktemp("logs"), program=program) as watch:
        yield watch.address


def test_a_hub_has_the_practice(page_of_hub: Page, hub: str) -> None:
    page_of_hub.goto(f"{hub}practice")
    left = page_of_hub.locator("#left")
    expect(left).to_have_attribute("aria-label", re.compile("Confirm"))
    for key in "al l ":
        page_of_hub.keyboard.press(key)
    expect(left).to_have_attribute("aria-label", re.compile("Stopped"))


def test_a_hub_has_the_proof(page_of_hub: Page, hub: str, tmp_path: Path) -> None:
    page_of_hub.goto(f"{hub}proof")
    (tmp_path / LOGS[0].name).write_bytes(LOGS[0].read_bytes())
    assert shown(page_of_hub, LOGS[:1]) == printed(tmp_path, "verify", LOGS[0].name)


def test_two_makings_are_alike(built: Path, tmp_path: Path) -> None:
    make(tmp_path / "again")
    first, second = (
        {
            path.relative_to(folder): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }
        for folder in (built, tmp_path / "again")
    )
    assert first == second
    assert sum(map(len, first.values())) < 16 << 20
    assert sum(min(len(each), len(gzip.compress(each, 6))) for each in first.values()) < 7 << 20


def test_the_second_visit_needs_no_network(browser: Browser, built: Path) -> None:
    with browser.new_context(viewport=LAPTOP) as context:
        page = context.new_page()
        with served(built) as address:
            page.goto(f"{address}/proof.html")
            page.evaluate("async () => { await navigator.serviceWorker.ready; }")
        page.goto(f"{address}/report.html")
        output, code = shown(page, LOGS[:1])
        assert (code, "Ada" in output or "Left" in output) == ("0", True)


def test_a_new_release_is_taken_as_a_whole(browser: Browser, built: Path, tmp_path: Path) -> None:
    """A page that is open keeps its own; the next visit has the new one, and only that is kept."""
    folder = tmp_path / "pages"
    shutil.copytree(built, folder)
    with browser.new_context(viewport=LAPTOP) as context, served(folder) as address:
        page = context.new_page()
        page.goto(f"{address}/index.html")
        page.evaluate("async () => { await navigator.serviceWorker.ready; }")
        first = page.evaluate("caches.keys()")
        release(folder)
        page.reload()
        page.evaluate(WAITING)
        page.reload()
        assert page.evaluate(KEPT) == [False, False]
        page.close()
        page = context.new_page()
        page.goto(f"{address}/index.html")
        page.wait_for_function("async (old) => (await caches.keys()).join() !== old", arg=first[0])
        assert len(page.evaluate("caches.keys()")) == 1
        assert page.evaluate(KEPT) == [True, True]


def test_a_new_release_is_offered_and_a_match_goes_on_in_it(
    browser: Browser, built: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "pages"
    shutil.copytree(built, folder)
    with browser.new_context(viewport=LAPTOP, locale="de") as context, served(folder) as address:
        page = context.new_page()
        page.goto(f"{address}/practice.html")
        expect(left_panel(page)).to_have_attribute("aria-label", re.compile("Bestätigen"))
        page.evaluate("async () => { await navigator.serviceWorker.ready; }")
        page.reload()
        expect(left_panel(page)).to_have_attribute("aria-label", re.compile("Bestätigen"))
        for key in "al l ":
            page.keyboard.press(key)
        expect(left_panel(page)).to_have_attribute("aria-label", re.compile("Angehalten"))
        expect(page.locator(".notice")).to_have_count(0)
        release(folder)
        page.evaluate("async () => (await navigator.serviceWorker.getRegistration()).update()")
        expect(page.locator(".notice")).to_contain_text("Eine neue Version dieser Seiten ist da.")
        assert page.evaluate(KEPT) == [False, False]
        with page.expect_navigation():
            page.get_by_role("button", name="Neue Version laden").click()
        expect(left_panel(page)).to_have_attribute("aria-label", re.compile("Angehalten"))
        assert page.evaluate(KEPT) == [True, True]
        expect(page.locator(".notice")).to_have_count(0)


def release(folder: Path) -> None:
    """Make a new release of the pages in a folder."""
    for name in ("index.html", "style.css"):
        with (folder / name).open("a") as file:
            file.write("<!-- new -->" if name == "index.html" else "/* new */")
    worker = folder / "service_worker.js"
    worker.write_text((ROOT / "browser" / worker.name).read_text())
    (folder / "files.json").unlink()
    number_release(folder)


WAITING = """async () => {
  const found = await navigator.serviceWorker.getRegistration();
  await found.update();
  while (!found.waiting) {
    const place = found.installing ?? found;
    const kind = found.installing ? "statechange" : "updatefound";
    await new Promise((resolve) => place.addEventListener(kind, resolve, { once: true }));
  }
}"""
KEPT = """async () => Promise.all(["index.html", "style.css"].map(async (name) =>
  (await (await fetch(name)).text()).includes(" new ")))"""


def test_from_a_folder_the_page_says_what_is_missing(browser: Browser, built: Path) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto((built / "proof.html").as_uri())
        assert page.locator("#not-served").is_visible()


def test_the_pages_keep_nobody_out(
    page: Page, address: str, view: View, problems_of: Judge
) -> None:
    look(page, view)
    first = list(VIEWS.values()).index(view)
    for number, name in enumerate(PAGES, start=first):
        language = [*LANGUAGES][number % len(LANGUAGES)]
        page.goto(f"{address}/{name}.html?language={language}")
        page.locator("header nav").wait_for()
        assert problems_of(page) == [], (name, language)


@pytest.mark.slow
def test_a_verdict_is_said_in_the_language_of_the_page(page: Page, address: str) -> None:
    for language in LANGUAGES[1:]:
        page.goto(f"{address}/proof.html?language={language}")
        expected = printed(DATA, "verify", LOGS[0].name, "--language", language)
        assert shown(page, LOGS[:1]) == expected, language


@pytest.mark.parametrize(
    ("script", "sleeps"),
    [("", False), (NO_LOCKS, False), (NO_LOCKS, True)],
    ids=["https", "http", "http-sleeping"],
)
def test_of_two_tabs_one_plays_and_the_other_looks_on(
    browser: Browser, address: str, script: str, *, sleeps: bool
) -> None:
    """Until the first one is closed, or sleeps: then the match is the other's."""
    practice = f"{address}/practice.html"
    with browser.new_context(viewport=LAPTOP, locale="en-GB") as context:
        context.add_init_script(script)
        first = context.new_page()
        first.goto(practice)
        expect(left_panel(first)).to_have_attribute("aria-label", re.compile("Confirm"))
        second = context.new_page()
        second.goto(practice)
        expect(left_panel(second)).to_have_attribute("aria-label", re.compile("Confirm"))
        for key in "al l ":
            first.keyboard.press(key)
        expect(left_panel(second)).to_have_attribute("aria-label", re.compile("Stopped"))
        expect(second.locator("#state")).to_contain_text("open in another tab")
        expect(second.get_by_role("button", name="New match")).to_be_disabled()
        if sleeps:
            first.evaluate("BroadcastChannel.prototype.postMessage = () => {}")
        else:
            first.close()
        expect(second.locator("#state")).to_contain_text("kept in this browser")
        expect(left_panel(second)).to_have_attribute("aria-label", re.compile("Stopped"))
        expect(second.get_by_role("button", name="New match")).to_be_enabled()
        if sleeps:
            expect(first.get_by_role("button", name="New match")).to_be_disabled()


def enter(page: Page, values: dict[str, str]) -> None:
    """Fill fields of the form, one after the other."""
    for field, value in values.items():
        page.fill(f"[id='{field}']", value)
        page.press(f"[id='{field}']", "Tab")


def test_the_form_has_the_presets_of_a_file(page: Page, address: str, tmp_path: Path) -> None:
    """Those that it has are read, others added and removed; an error stands at its field."""
    file = tmp_path / "gammonclock.toml"
    mine = '# Mine\n[[preset]]\nname = "<b>Final"  # Sunday\nlength = 13\n'
    file.write_text(f"{mine}\n[[preset]]\nname = 'Fast'\nlength = 3\n")
    page.goto(f"{address}/settings.html")
    page.locator("pre[data-exit]").wait_for()
    page.set_input_files("input[type=file]", str(file))
    expect(page.locator("#presets legend")).to_have_text(["<b>Final", "Fast"])
    page.locator("#presets fieldset").nth(1).get_by_role("button", name="Remove").click()
    expect(page.locator("#presets legend")).to_have_text(["<b>Final"])
    page.get_by_role("button", name="Add a preset").click()
    enter(page, {"preset.1.name": "Last chance", "preset.1.length": "0"})
    expect(page.locator("[id='preset.1.length-error']")).to_contain_text("1 to 99")
    page.locator("#presets details").nth(1).locator("summary").click()
    enter(page, {"preset.1.length": "5", "preset.1.record": "who, cube"})
    expect(page.locator("#text")).to_have_value(re.compile("record = "))
    expect(page.locator("pre")).to_contain_text('preset "Last chance"')
    expect(page.locator("#presets legend").nth(1)).to_have_text("Last chance")
    page.locator("#form > details > summary").first.click()  # nothing covers it
    text = page.input_value("#text")
    assert text.startswith(mine)
    written = parse_settings(text, "form").presets
    assert [(each.name, each.match.length) for each in written] == [
        ("<b>Final", 13),
        ("Last chance", 5),
    ]
    assert len(written[1].match.rules.record) == 2


PUBLISHED = {  # conditions of events: what is typed and chosen, then length, bank, delay, breaks
    "msoworld.com/events/backgammon_8_3pt": (  # Bronstein, 6 mins per player + 12 secs per move
        "length 3, method bronstein, time_per_point 0:00, time_per_match 6 mins, delay 12 secs",
        (3, 360, 12, 1, "bronstein", "points-or-clock"),
    ),
    "backgammon-hotspot.com/en/tournament-mode": (  # 2 minutes per point + 12 seconds, no breaks
        "length 7, time_per_point 2 minutes, delay 12 seconds, breaks 0",
        (7, 840, 12, 0, "simple-delay", "points-or-clock"),
    ),
    "backgammon.cz, BMS Praha 2015": (  # 9 point matches, 18 minutes bank time, 12 seconds delay
        "profile ebf, length 9, time_per_point 0:00, time_per_match 18:00, delay 0:12",
        (9, 1080, 12, 1, "simple-delay", "points"),
    ),
    "backgammon-trier.de, speed": (  # 5 points, 9 sec delay, 2 min timebank, late: the clock runs
        "lateness start-clock, length 5, time_per_point 0:00, time_per_match 2 min, delay 9 sec",
        (5, 120, 9, 1, "simple-delay", "start-clock"),
    ),
    "backgammon-trier.de, consultation": (  # 7 points, 12 seconds, 21 minutes, teams of two
        "length 7, play doubles, time_per_point 0:00, time_per_match 21:00, delay 0:12, breaks 0",
        (7, 1260, 12, 0, "simple-delay", "points-or-clock"),
    ),
}
OF_MATCH = ("length", "play")  # keys of [match]


@pytest.mark.parametrize(("typed", "wanted"), PUBLISHED.values(), ids=PUBLISHED)
def test_published_conditions_are_written_by_the_form_alone(
    page: Page, address: str, typed: str, wanted: tuple[object, ...]
) -> None:
    page.goto(f"{address}/settings.html")
    page.locator("pre[data-exit]").wait_for()
    page.locator("details:has(#more-fields) > summary").click()
    for key, _, value in (each.partition(" ") for each in typed.split(", ")):
        field = page.locator(f"[id='{'match' if key in OF_MATCH else 'rules'}.{key}']")
        page.evaluate(FORGET)
        if field.evaluate("(field) => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
            field.press("Tab")
        page.locator("pre[data-exit]").wait_for()
    bank = duration_text(int(str(wanted[1])) * SECOND_NS)
    expect(page.locator("#banks")).to_contain_text(f"left {bank}, right {bank}")
    expect(page.locator("#state")).to_have_text("Done.")
    match = parse_settings(page.input_value("#text"), "form").match
    rules = match.rules
    of_rules = (rules.method, rules.lateness)
    delay_s, breaks = rules.delay_ns // SECOND_NS, breaks_allowed(rules, match.length)
    assert (match.length, wanted[1], delay_s, breaks, *of_rules) == wanted


@pytest.mark.parametrize("waits", [True, False])
def test_what_was_entered_stays_in_another_language(page: Page, address: str, waits: bool) -> None:
    """Also what the file does not have yet: a slow phone takes seconds to write it."""
    page.goto(f"{address}/settings.html?language=en")
    page.locator("pre[data-exit]").wait_for()
    enter(page, {"match.length": "5"})
    page.fill("[id='rules.delay']", "0:09")
    if waits:
        page.press("[id='rules.delay']", "Tab")
        expect(page.locator("#text")).to_have_value(re.compile('^delay = "0:09"', re.MULTILINE))
    with page.expect_navigation():
        page.select_option("#language", "de")
    page.locator("pre[data-exit]").wait_for()
    expect(page.locator("[id='match.length']")).to_have_value("5")
    expect(page.locator("[id='rules.delay']")).to_have_value("0:09")
    page.reload()  # which begins anew
    page.locator("pre[data-exit]").wait_for()
    expect(page.locator("[id='match.length']")).not_to_have_value("5")


def test_the_form_reads_and_writes_a_list(page: Page, address: str, tmp_path: Path) -> None:
    """What is recorded beside a match: both, one of them, or what no match knows."""
    file = tmp_path / "gammonclock.toml"
    file.write_text('[rules]\nrecord = ["who", "cube"]  # Sunday\n')
    page.goto(f"{address}/settings.html")
    page.locator("pre[data-exit]").wait_for()
    page.set_input_files("input[type=file]", str(file))
    page.locator("details:has(#more-fields) > summary").click()
    expect(page.locator("[id='rules.record']")).to_have_value("who, cube")
    enter(page, {"rules.record": "cube"})
    expect(page.locator("#text")).to_have_value(re.compile(r'record = \["cube"\] +# Sunday'))
    enter(page, {"rules.record": "cub"})
    expect(page.locator("[id='rules.record-error']")).to_contain_text('a list of "who" and "cube"')
    enter(page, {"rules.record": ""})
    expect(page.locator("[id='rules.record-error']")).to_have_text("")
    assert parse_settings(page.input_value("#text"), "form").match.rules.record == ()
