"""Write systemd/gammonclock.1 and gammonclock.bash: the manual page, and what bash completes.

Both are made from the commands themselves; `install-pi` installs them.
"""

import re
from collections.abc import Iterator
from inspect import cleandoc

import click

from gammonclock.__main__ import COMMANDS, main
from gammonclock.group import Commands
from lab.support.paths import ROOT

MANUAL = ROOT / "systemd" / "gammonclock.1"
COMPLETION = ROOT / "systemd" / "gammonclock.bash"
NAME = "gammonclock"
BEGIN = r"""'\" Written by lab.docs.generate_manual.
.TH GAMMONCLOCK 1 "" "gammonclock" "User Commands"
.SH NAME
gammonclock \- match clock for backgammon tournaments
.SH SYNOPSIS
.B gammonclock
.I COMMAND
[\fIOPTION\fR]... [\fIARGUMENT\fR]...
.SH DESCRIPTION
"""
END = r"""
.SH FILES
.TP
.I /boot/firmware/gammonclock.toml
The settings of a clock, on the partition of the card that any PC can read.
.TP
.I /var/lib/gammonclock
The logs of all matches;
.I current.jsonl
is the latest.
.SH SEE ALSO
.BR systemctl (1),
.BR journalctl (1)
"""
FUNCTION = """\
# What bash completes after `gammonclock`; written by lab.docs.generate_manual.
_gammonclock() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
    local command='' words=''
    ((COMP_CWORD == 1)) || command=${{COMP_WORDS[1]}}
    case "$command $before" in
{values}
        *)
            case $command in
{options}
            esac
            [[ -z $command || $word == -* ]] || words='' # a file
            ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -o default -F _gammonclock gammonclock
"""


def commands() -> dict[str, click.Command]:
    """Return all commands by their names."""
    assert isinstance(main, Commands)
    return {name: main.load(name) for name in COMMANDS}


# --- the manual page ------------------------------------------------------------------------------


def manual() -> str:
    """Return the manual page."""
    text = BEGIN + "\n.PP\n".join(_paragraphs(main)) + "\n.SH COMMANDS"
    for name, command in commands().items():
        pieces = " ".join(command.collect_usage_pieces(_context(command)))
        text += f"\n.SS {_escaped(f'{NAME} {name} {pieces}')}\n"
        text += "\n.PP\n".join(_paragraphs(command))
        text += "".join(_options(command))
    return text + END


def _context(command: click.Command) -> click.Context:
    return click.Context(command, **main.context_settings)


def _paragraphs(command: click.Command) -> Iterator[str]:
    for paragraph in cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith("\b\n"):
            yield f".nf\n{_escaped(paragraph[2:])}\n.fi"
        else:
            yield _escaped(" ".join(paragraph.split()))


def _options(command: click.Command) -> Iterator[str]:
    context = _context(command)
    for option in command.params:
        if isinstance(option, click.Option) and (record := option.get_help_record(context)):
            names, words = record
            yield f"\n.TP\n\\fB{_escaped(names)}\\fR\n{_escaped(' '.join(words.split()))}"


def _escaped(text: str) -> str:
    """Return text as roff shows it: signs of its own, and dots at the beginning of a line."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


# --- the completion -------------------------------------------------------------------------------


def completion() -> str:
    """Return what bash completes: commands, their options, and the values of some options."""
    values, options = [], [_case('""', [*COMMANDS, "--help", "--version"])]
    for name, command in commands().items():
        given = [each for each in command.params if isinstance(each, click.Option)]
        names = [opt for each in given for opt in (*each.opts, *each.secondary_opts)]
        options.append(_case(name, [*names, "--help"]))
        for each in given:
            if isinstance(each.type, click.Choice):
                pattern = " | ".join(f'"{name} {opt}"' for opt in each.opts)
                values.append(_case(pattern, [str(choice) for choice in each.type.choices]))
    return FUNCTION.format(
        values="\n".join(f"        {case}" for case in values),
        options="\n".join(f"                {case}" for case in options),
    )


def _case(pattern: str, words: list[str]) -> str:
    return f"{pattern}) words='{' '.join(words)}' ;;"


if __name__ == "__main__":
    for file, text in ((MANUAL, manual()), (COMPLETION, completion())):
        file.write_text(text, encoding="utf-8")
        print(f"wrote {file.relative_to(ROOT)}")
