"""`gammonclock check-config` and `gammonclock profiles`."""

from pathlib import Path

import pytest

from clock.match.profiles import PROFILES
from gammonclock.console import WRONG_USAGE
from gammonclock.settings import comparison
from lab.support.commands import said
from lab.support.settings_files import EVENT, parse


@pytest.mark.rule("R104")
def test_check_config_compares_several_files(tmp_path: Path) -> None:
    """All of them are shown and compared; one that is wrong is named."""
    texts = {"a": "", "b": "[match]\nboard = '7'\n", "c": "[match]\nlength = 13\n", "d": "x"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    a, b, c, d = (str(tmp_path / name) for name in texts)
    good = said("check-config", a, b, c)
    assert good.exit_code == 0
    assert good.stdout.count("\nsettings code ") == 3
    compared = good.stdout[good.stdout.index("The same rules") :].splitlines()
    assert compared[:2] == [f"The same rules: {a}, {b}", f"Other rules than {a}: {c}"]
    assert compared[2] == "  match.length is 13 points, not 11 points"
    assert good.stdout.startswith(f"{a}\n")
    assert said("check-config", a, b).stdout.startswith(f"{a}\n")
    alone = said("check-config", a).stdout.splitlines()
    assert alone[0].startswith("match.board ")
    assert alone[-1].startswith("settings code ")  # compared with nothing
    column = alone[0].index("none")
    assert {line[column - 2 : column] for line in alone} == {"  "}
    assert " " not in {line[column] for line in alone}
    wrong = said("check-config", d, a, c)
    assert wrong.exit_code == WRONG_USAGE
    assert f"{d}: line 1" in wrong.stderr
    assert f"Other rules than {a}: {c}" in wrong.stdout


@pytest.mark.rule("R104")
def test_check_config_lists_presets_on_80_columns(tmp_path: Path) -> None:
    path = tmp_path / "event.toml"
    path.write_text('[[preset]]\nname = "Last chance!"\nlength = 45\n')
    lines = said("check-config", str(path)).stdout.splitlines()
    [line] = [line for line in lines if "Last chance!" in line]
    assert "left bank 1:30:00, right 1:30:00, settings code " in line
    assert len(line) <= 80


@pytest.mark.rule("R216")
def test_check_config_says_what_panels_cannot_show(tmp_path: Path) -> None:
    """And nothing of what they draw or spell."""
    path = tmp_path / "names.toml"
    path.write_text('[match]\nnames = ["\u671b\u6708 Taro", "\u0141o\u015b"]\n', encoding="utf-8")
    notes = [line for line in said("check-config", str(path)).stdout.splitlines() if "NOTE" in line]
    [note] = notes
    assert "a box for each of \u671b \u6708;" in note


@pytest.mark.rule("R129")
def test_profiles_lists_all_of_them() -> None:
    """By the names that a configuration has; then what is superseded, or known from quotations."""
    table, _, texts = said("profiles").stdout.partition("\n\n")
    rows = dict(line.split(maxsplit=1) for line in table.splitlines()[1:])
    assert list(rows) == list(PROFILES)
    for name, row in rows.items():
        breaks = len(PROFILES[name].breaks)
        assert (row.count("up to"), row.endswith(", ...")) == (min(breaks, 4), breaks > 4)
    known = dict(line.split(maxsplit=1) for line in texts.splitlines())
    assert known.pop("wbgf") == "from quotations of WBGF 2.1"
    assert "the rest is as in us" in known.pop("usbgf")
    assert set(known) == {name for name in PROFILES if name.startswith("nbgf")}
    assert set(known.values()) == {"superseded by wbgf on 1 January 2024"}


def test_an_error_is_said_in_the_language(tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text("[match]\nlength = 0\n")
    told = said("check-config", file, "--language", "de")
    assert told.exit_code == WRONG_USAGE
    assert told.stderr.startswith(f"gammonclock: {file}: match.length ist 0. Erlaubt: ")
    assert "but must be" in said("check-config", file).stderr


@pytest.mark.rule("R104")
def test_files_with_the_same_rules_are_named_together() -> None:
    other = EVENT.replace('"7"', '"8"').replace('"Ada"', '"Eve"') + "[display]\nbus = 2\n"
    assert compared(a=EVENT, b=other) == ["The same rules: a, b"]


@pytest.mark.rule("R104")
def test_a_file_with_other_rules_is_named_with_each_difference() -> None:
    """In [match] and [rules], in a preset, and presets that only one of them has."""
    other = EVENT.replace("length = 13", "length = 15").replace('"0:15"', '"0:12"')
    other = other.replace('"Fast"', '"Slow"')
    first, second = parse(EVENT), parse(other)
    codes = [
        (one.match.code, two.match.code)
        for one, two in zip(first.choices, second.choices, strict=True)
    ]
    assert compared(a=EVENT, b=EVENT, c=other) == [
        "The same rules: a, b",
        "Other rules than a: c",
        "  rules.delay is 0:12, not 0:15",
        f"  settings code is {codes[0][1]}, not {codes[0][0]}",
        '  preset "Final": match.length is 15 points, not 13 points',
        '  preset "Final": rules.delay is 0:12, not 0:15',
        f'  preset "Final": settings code is {codes[1][1]}, not {codes[1][0]}',
        '  preset "Fast" is missing',
        '  preset "Slow" is added',
    ]


@pytest.mark.rule("R104")
def test_rules_that_no_line_shows_differ_by_their_code() -> None:
    one_break = "[rules]\nbreaks = 1"
    assert compared(a=one_break, b="") == [
        "Other rules than a: b",
        f"  settings code is {parse('').match.code}, not {parse(one_break).match.code}",
    ]


def compared(**texts: str) -> list[str]:
    """What is said of these files."""
    return list(comparison({name: parse(text) for name, text in texts.items()}))
