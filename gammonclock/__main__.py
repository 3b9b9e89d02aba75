"""`gammonclock`, which is also `python -m gammonclock`: which commands there are."""

from gammonclock import importing

with importing():
    import click

    from clock import __version__
    from gammonclock.group import Commands

COMMANDS = {  # the module of each, and the first sentence of its help
    "check-config": ("settings", "Check each FILE and show what it sets."),
    "doctor": ("doctor", "Test the hardware of a clock."),
    "forecast": ("forecast", "Say how well the end of each match in LOG could be foreseen."),
    "hub": ("watching", "Follow the clocks of a room by its broker, and show them on pages."),
    "link": (
        "joining",
        "Send a clock's logs to the hub of its room, and take offers of the next match from it.",
    ),
    "logs": ("logs", "List the matches whose logs lie in DIR."),
    "play": ("play", "Play SCRIPT in virtual time."),
    "profiles": ("settings", "List the rules that can be selected."),
    "publish": (
        "publish",
        "Write results, reports and boards into DIR, as pages for any web space.",
    ),
    "report": (
        "report",
        "Say what happened in LOG: games, flags, stops, breaks, what the director changed.",
    ),
    "room-cards": (
        "joining",
        "Make the files of a room in DIR: for each clock, for the broker, for the hub, and labels.",
    ),
    "room-join": ("joining", "Take this clock's file of a room from the boot partition."),
    "run": ("run", "Run the clock, or simulate one."),
    "verify": ("verify", "Verify that LOG is undamaged and consistent."),
    "watch": (
        "watching",
        "Show clocks on pages in the browser: each SOURCE is a log directory, a log or a port.",
    ),
}


@click.group(
    cls=Commands, modules=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__)
def main() -> None:
    """A match clock for backgammon tournaments.

    On a Raspberry Pi with plungers and displays this program is the clock. On
    any computer it simulates one, and reads the logs that clocks have written.

    \b
    Try it here:       gammonclock run --simulate
    Choose the rules:  gammonclock profiles
                       gammonclock check-config gammonclock.toml
    Test the wiring:   gammonclock doctor
    After a match:     gammonclock verify LOG
                       gammonclock report LOG --chart match.png
                       gammonclock logs /var/lib/gammonclock
    Show matches:      gammonclock watch /var/lib/gammonclock

    A clock writes a log of each match. The log of the current match is
    current.jsonl in /var/lib/gammonclock or the directory that the
    configuration names.

    The exit code is 0 if all went well, 2 for wrong usage or a wrong
    configuration, 3 if hardware is missing, and 4 if a log is damaged.
    """


if __name__ == "__main__":
    main(prog_name="gammonclock")
