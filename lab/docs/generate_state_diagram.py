"""Write the state diagram of docs/architecture.md from the transition table; a test compares."""

from clock.match import inputs
from clock.match.transitions import BUTTONS, DIRECTOR_RULINGS, TABLE
from clock.match.types import Phase
from lab.support.paths import ROOT

PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- state diagram: make docs -->\n", "<!-- end of the state diagram -->\n"

BUTTON_WORDS: dict[type[inputs.Input], str] = {
    inputs.Pressed: "plunger",
    inputs.CentrePressed: "centre",
    inputs.BreakTaken: "centre: break",
    inputs.GameScored: "centre",
}
RULING_WORDS: dict[type[inputs.Input], str] = {
    inputs.AbsentClockStarted: "starts an absent player's clock",
    inputs.TurnResumed: "starts a clock",
    inputs.ClockRemoved: "goes on without a clock",
    inputs.MatchEnded: "ends the match",
    inputs.Adjourned: "puts the match aside",
    inputs.Reopened: "reopens",
}


BY_ITSELF = {(Phase.GAME_OVER, Phase.FINISHED): "points decide the match"}


def diagram() -> str:
    """Return the transitions by buttons as a Mermaid diagram, those by the TD as a list."""
    arrows: dict[tuple[Phase, Phase], list[str]] = {}
    for (phase, kind), row in BUTTONS.items():
        for target in row.reachable:
            if target is not phase or phase is Phase.RUNNING:
                arrows.setdefault((phase, target), []).append(BUTTON_WORDS[kind])
    words = {pair: " / ".join(dict.fromkeys(texts)) for pair, texts in arrows.items()} | BY_ITSELF
    body = "".join(f"    {a.value} --> {b.value}: {text}\n" for (a, b), text in words.items())
    picture = f"```mermaid\nstateDiagram-v2\n    [*] --> REVIEW\n{body}```\n"
    return f"{picture}\n{_director()}"


def _director() -> str:
    """Return a line for each ruling of the TD: from which phases it leads where."""
    lines = []
    for kind, words in RULING_WORDS.items():
        ways: dict[Phase, list[str]] = {}
        for phase in DIRECTOR_RULINGS[kind].phases:
            for target in TABLE[phase, kind].reachable:
                if target is not phase:
                    ways.setdefault(target, []).append(phase.value)
        lines += [f"- director, {words}: {', '.join(a)} → {b.value}\n" for b, a in ways.items()]
    return "".join((*lines, "- director, takes back a ruling or a game: the phase before it\n"))


def with_diagram(text: str) -> str:
    """Return the page's text with the diagram between its marks."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + diagram() + END + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(with_diagram(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"wrote the state diagram of {PAGE.name}")
