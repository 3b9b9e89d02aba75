"""The matches in `data`: their scripts' button work, and the logs that playing them gives.

`make docs` writes both; a test plays the scripts and compares, so that neither can go stale. In a
script a line `#> ...` is a wish. The lines below it, up to the next empty line or remark, are the
presses that it takes; they are generated:

    #> choose REASON           step through the reasons to stop, and carry this one out
    #> won SIDE POINTS         the game that was stopped is over: points and on
    #> director ITEM VALUE...  a ruling of the director's menu; times as M:SS, + or - a sign

Everything else is written by hand. Only `match_opened` names the program's version; after a new
version the logs are generated again; only hashes and that version may change.
"""

from clock import __version__
from clock.apps.playback import play
from clock.apps.script import parse
from clock.config.loader import load_settings
from clock.match.durations import parse_duration
from clock.match.profiles import PROFILES
from clock.match.rules import MatchSettings, Reason
from clock.match.types import Side
from clock.runtime.loop import UiOptions
from clock.ui.i18n import sayer
from lab.support.match_scripts import Author
from lab.support.paths import DATA

WISH = "#> "


def settings_of(profile: str) -> MatchSettings:
    """What a profile's match is played under."""
    return load_settings(DATA / f"{profile}.toml").match


def script_of(profile: str) -> str:
    """A profile's script as it stands."""
    return (DATA / f"{profile}.script").read_text(encoding="utf-8")


def log_of(profile: str) -> bytes:
    """What playing it gives."""
    lines: list[bytes] = []
    options = UiOptions(sayer("en"), __version__)
    play(parse(script_of(profile), profile), settings_of(profile), options, lines.append)
    return b"".join(lines)


def with_presses(script: str, settings: MatchSettings) -> str:
    """A script in which every wish is followed by the presses that it takes."""
    author, written, skipping = Author(settings), list[str](), False
    for line in script.splitlines():
        act = line.split("#", 1)[0].strip()
        if line.startswith(WISH):
            known = len(author.lines)
            _fulfil(author, line.removeprefix(WISH).split())
            written += [line, *author.lines[known:]]
            skipping = True
        elif act and skipping:
            continue
        else:
            skipping = False
            written.append(line)
            if act:
                seconds, words = act.split(maxsplit=1)
                author.do(" ".join(words.split()), float(seconds))
    return "\n".join(written) + "\n"


def _fulfil(author: Author, wish: list[str]) -> None:
    match wish:
        case ["choose", reason]:
            _choose(author, Reason(reason))
        case ["won", side, points]:
            _choose(author, Reason.GAME_OVER)
            for _ in range(int(points)):
                author.do(f"press {Side(side).value}", 0.5)
            author.do("press centre", 2)
        case ["director", item, *values]:
            author.direct(item, *(_value(value) for value in values))
        case _:
            raise ValueError(f"no such wish: {' '.join(wish)}")


def _choose(author: Author, reason: Reason) -> None:
    act = "press left" if reason is Reason.TIME_EXPIRED else "press right"
    author.press_until(lambda: author.state.reason is reason, reason, act, 0.4)
    author.do("press centre", 3)


def _value(word: str) -> object:
    if word[0] in "+-":
        time_ns = parse_duration(word[1:])
        return time_ns if word[0] == "+" else -time_ns
    if ":" in word:
        return parse_duration(word)
    return int(word) if word.isdigit() else word


if __name__ == "__main__":
    for name in PROFILES:
        script = with_presses(script_of(name), settings_of(name))
        (DATA / f"{name}.script").write_text(script, encoding="utf-8")
        (DATA / f"{name}.jsonl").write_bytes(log_of(name))
    print(f"wrote {len(PROFILES)} matches in {DATA.name}")
