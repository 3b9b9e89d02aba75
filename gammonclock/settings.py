"""`gammonclock check-config` and `gammonclock profiles`."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from clock.config.loader import ignored_text, load_settings
from clock.config.reader import ConfigError
from clock.config.settings import Settings, describe, differences
from clock.match.durations import duration_text
from clock.match.profiles import PROFILES, TEXTS
from clock.match.rules import MatchSettings
from clock.ui.error_pages import config_text
from clock.ui.i18n import sayer
from gammonclock.console import WRONG_USAGE, complain, show
from gammonclock.options import FILE_PATH, language_option


def comparison(files: Mapping[str, Settings]) -> Iterator[str]:
    """Yield lines that say which files have the rules of the first one, and how others differ."""
    first, *others = files
    different = {name: list(_differences(files[first], files[name])) for name in others}
    same = [first, *(name for name in others if not different[name])]
    if len(same) > 1:
        yield f"The same rules: {', '.join(same)}"
    for name, lines in different.items():
        if lines:
            yield f"Other rules than {first}: {name}"
            yield from (f"  {line}" for line in lines)


def _differences(one: Settings, other: Settings) -> Iterator[str]:
    """Yield what the second of two files has instead, first without, then in each preset."""
    yield from _match_differences("", one.match, other.match)
    ours, theirs = ({each.name: each.match for each in file.presets} for file in (one, other))
    for name in {**ours, **theirs}:
        heading = f'preset "{name}"'
        if name in ours and name in theirs:
            yield from _match_differences(f"{heading}: ", ours[name], theirs[name])
        else:
            yield f"{heading} {'is missing' if name in ours else 'is added'}"


def _match_differences(within: str, one: MatchSettings, other: MatchSettings) -> Iterator[str]:
    if one.code != other.code:
        codes = ("settings code", one.code, other.code)
        for name, old, new in (*differences(one, other), codes):
            yield f"{within}{name} is {new}, not {old}"


MOST_BREAKS = 4  # numbers of breaks that `profiles` lists


@click.command("check-config")
@click.argument("files", type=FILE_PATH, nargs=-1, required=True, metavar="FILE...")
@language_option("what is wrong with a file")
def check_config(files: tuple[Path, ...], language: str) -> None:
    """Check each FILE and show what it sets.

    Shown are all values in force, both time banks and the settings code, also of each preset with
    what it changes. Clocks with the same settings code run under the same rules. Of several files
    it says which differ in their rules, and where. If a FILE has an error, the message names the
    key, what was found and what is allowed.

    \b
    Example:  gammonclock check-config gammonclock.toml
              gammonclock check-config cards/*.toml
    """
    checked: dict[str, Settings] = {}
    for file in files:
        try:
            checked[str(file)] = load_settings(file)
        except ConfigError as error:
            complain(error if language == "en" else config_text(error, sayer(language)))
    for name, settings in checked.items():
        _show_settings(settings, name if len(files) > 1 else "")
    if checked:
        show(*comparison(checked))
    if len(checked) < len(set(files)):
        sys.exit(WRONG_USAGE)


def _show_settings(settings: Settings, heading: str) -> None:
    ignored = ignored_text(settings)
    notes = [("NOTE", ignored)] if ignored else []
    lines = [*describe(settings), *_undrawable(settings), *notes]
    width = max(len(name) for name, _ in lines)
    texts = [f"{name:{width}}  {text}" for name, text in lines]
    show(*([heading, *texts, ""] if heading else texts))


def _undrawable(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield a line for each name that panels cannot show, as they have no Hebrew or Japanese."""
    from hardware.display.spelling import unknown_letters

    named = (*settings.match.names, *(preset.name for preset in settings.presets))
    for name in dict.fromkeys(named):
        if unknown := unknown_letters(name):
            boxes = f'"{name}": panels show a box for each of {" ".join(unknown)}'
            yield "NOTE", f"{boxes}; log and pages have it whole. Write it in Latin letters."


@click.command()
def profiles() -> None:
    """List the rules that can be selected.

    A player starts with a time bank, given per point and per match. Before it runs, each turn has
    a delay, which is not saved up.

    \b
    Example:  gammonclock profiles
    In a configuration:  [rules]
                         profile = "wbgf"
    """
    titles = f"{'profile':14}{'per point':>10}{'per match':>11}{'delay':>7}"
    click.echo(f"{titles}   breaks per player, by length of the match")
    for name, rules in PROFILES.items():
        times = (rules.time_per_point_ns, rules.time_per_match_ns, rules.delay_ns)
        point, match, delay = (duration_text(time_ns) for time_ns in times)
        shown = [f"{count} up to {longest} points" for longest, count in rules.breaks]
        breaks = ", ".join(shown if len(shown) <= MOST_BREAKS else [*shown[:MOST_BREAKS], "..."])
        click.echo(f"{name:14}{point:>10}{match:>11}{delay:>7}   {breaks}")
    click.echo()
    for name, text in TEXTS.items():
        click.echo(f"{name:14}{text}")
