"""Try the two commands of README.md on a bare Debian, which has Python, make and git alone.

A tree of Debian is made, and what is committed here is cloned into it, into a folder whose name has
a space and an umlaut. There an ordinary user, whose files nobody else may read, types `make run`,
sees the first picture, and types `make test`, which has no network once its packages are there.
Root does this, in a place where no process and no
mount is left behind, also if it takes too long or is ended by a signal:

    sudo make test IN=bare
    sudo make test IN=bare SUITE=bookworm ARGS=--all    # the slow tests, too
"""

import argparse
import os
import pty
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("python3", "python3-venv", "make", "git")
USER, HOME = 1000, Path("/home/ada")
CLONE = HOME / "Büro 2" / "gammonclock"
QUICK = "-m 'not slow' --hypothesis-profile=dev"
PICTURE = ("▛", "q quit")  # the corner of a panel, and the last line of the screen
SIZE = (43, 132)  # lines and columns of the terminal
LIMIT_S = 3600  # of each program: a busy computer needs minutes, one that hangs needs forever
SECOND_NS = 1_000_000_000
# How this computer reaches packages: the tree gets the same. mmdebstrap copies resolv.conf.
FILES = (Path("/etc/pip.conf"), Path("/etc/ssl/certs/ca-certificates.crt"))
FILES_AT_HOME = (".config/pip/pip.conf", ".pip/pip.conf")
NETWORK = ("PIP_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_", "REQUESTS_CA_BUNDLE")

APART = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
ENTER = """
mount --rbind /dev "$1/dev"
mount --rbind /sys "$1/sys"
mount -t proc proc "$1/proc"
exec chroot --userspec="$2:$2" "$1" sh -c 'umask 077; cd "$0" && exec "$@"' "$3" "${@:4}"
"""


def make_system(suite: str, packages: Sequence[str], tree: Path) -> None:
    """Make a tree of Debian that has some packages, and what they need."""
    run("mmdebstrap", "--quiet", "--variant=apt", f"--include={','.join(packages)}", suite, tree)


def make_tree(suite: str, tree: Path) -> None:
    """Make a tree of Debian with an ordinary user, and this computer's way to the network."""
    if shutil.which("mmdebstrap") is None:
        run("apt-get", "update")
        run("apt-get", "install", "--yes", "--no-install-recommends", "mmdebstrap")
    make_system(suite, PACKAGES, tree)
    with inside(tree, Path("/etc/passwd")).open("a") as file:
        file.write(f"ada:x:{USER}:{USER}::{HOME}:/bin/sh\n")
    for here, there in copied().items():
        if here.exists():
            inside(tree, there).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(here, inside(tree, there))
    run("git", "clone", "--quiet", "--no-hardlinks", ROOT, inside(tree, CLONE))
    run("chown", "--recursive", f"{USER}:{USER}", inside(tree, HOME))


def inside(tree: Path, path: Path) -> Path:
    """Return where a path of the tree is here."""
    return tree / path.relative_to("/")


def copied() -> dict[Path, Path]:
    """Return the files that the tree gets: where they are here, and there."""
    named = [Path(text) for text in network().values() if Path(text).is_file()]
    at_home = {Path.home() / name: HOME / name for name in FILES_AT_HOME}
    return {path: path for path in (*FILES, *named)} | at_home


def network() -> dict[str, str]:
    """Return the variables that say how packages are reached."""
    return {name: text for name, text in os.environ.items() if name.upper().startswith(NETWORK)}


def command(tree: Path, words: Sequence[str], environ: Mapping[str, str]) -> list[str]:
    """Return what runs a command in the clone as its user, with nothing of this environment."""
    settings = {"HOME": str(HOME), "PATH": "/usr/local/bin:/usr/bin:/bin", **network(), **environ}
    env = ["env", "-i", *(f"{name}={value}" for name, value in settings.items())]
    return ["bash", "-e", "-c", ENTER, "bash", str(tree), str(USER), str(CLONE), *env, *words]


def see_first_picture(tree: Path) -> None:
    """Type `make run` on a terminal, wait for the first picture, and end the clock.

    Raises:
        LookupError: it ended before, or with an error; or there was no picture.
    """
    typed = ["timeout", "--foreground", str(LIMIT_S), "make", "run"]
    words = [*APART, *command(tree, typed, {"TERM": "xterm-256color", "LANG": "C.UTF-8"})]
    pid, terminal = pty.fork()
    if pid == 0:
        termios.tcsetwinsize(0, SIZE)
        os.execvp(words[0], words)  # noqa: S606 (no shell is wanted)
    seen = ""
    try:
        for text in said(terminal):
            seen += text
            if all(part in seen for part in PICTURE):
                os.write(terminal, b"q")
    except BaseException:
        end(pid)
        raise
    finally:
        _, status = os.waitpid(pid, 0)
    if status != 0 or not all(part in seen for part in PICTURE):
        raise LookupError(f"`make run` showed no picture or failed ({status}):\n{seen[-4000:]}")


def said(terminal: int) -> Iterator[str]:
    """Return what a program writes to its terminal until it ends."""
    while True:
        try:
            yield os.read(terminal, 65_536).decode(errors="replace")
        except OSError:  # Linux says so that nobody writes there any more
            return


def may_be_apart() -> bool:
    """Return whether a program may have mounts and processes of its own."""
    return subprocess.run([*APART, "true"], check=False, capture_output=True).returncode == 0


def run(*words: object, limit_s: float = LIMIT_S) -> None:
    """Run a command that must succeed, with all that it starts in a place of its own.

    Raises:
        subprocess.CalledProcessError: it failed.
        subprocess.TimeoutExpired: it took too long, and was ended.
    """
    program = list(map(str, words))
    with subprocess.Popen([*APART, *program], stdin=subprocess.DEVNULL) as running:
        try:
            code = running.wait(limit_s)
        except BaseException:
            end(running.pid)
            raise
    if code != 0:
        raise subprocess.CalledProcessError(code, program)


def end(unshare: int) -> None:
    """End all that runs in the place that a process of `unshare` made.

    The kernel ends all the others with the first process there, and then `unshare` ends too.
    """
    first = Path(f"/proc/{unshare}/task/{unshare}/children").read_text("utf-8").split()
    for pid in first or [str(unshare)]:  # it may not have started any yet
        os.kill(int(pid), signal.SIGKILL)


def try_commands(suite: str, *, everything: bool) -> None:
    """Make a tree of a suite, and try both commands in it.

    Quick tests need no program at all, so none of them may be left out.
    """
    with tempfile.TemporaryDirectory(prefix="gammonclock-bare-") as folder:
        begin_ns, tree = time.monotonic_ns(), Path(folder, "tree")
        make_tree(suite, tree)
        note(f"made Debian {suite} with {', '.join(PACKAGES)}", begin_ns)
        begin_ns = time.monotonic_ns()
        see_first_picture(tree)
        note("make run: the first picture, and an end without an error", begin_ns)
        begin_ns = time.monotonic_ns()
        run(*command(tree, ["make", ".venv/.with-test"], {}))
        note("the packages of the tests", begin_ns)
        begin_ns = time.monotonic_ns()
        quick = {"REQUIRE_ALL": "1", "ARGS": QUICK}
        tests = command(tree, ["make", "test"], {} if everything else quick)
        run(sys.executable, "-B", "-m", "lab.offline", *tests)
        note("make test without a network: no failure", begin_ns)


def note(text: str, begin_ns: int) -> None:
    """Say what was done, and how long it took."""
    sys.stdout.write(f"[bare] {text}: {(time.monotonic_ns() - begin_ns) // SECOND_NS} s\n")
    sys.stdout.flush()


def main() -> int:
    """Try both commands if root asks; return the exit code."""
    parser = argparse.ArgumentParser(prog="make test IN=bare")
    parser.add_argument("suite", help="a suite of Debian: trixie, bookworm")
    parser.add_argument("--all", action="store_true", help="the slow tests, too")
    arguments = parser.parse_args()
    if os.geteuid() != 0 or not may_be_apart():
        sys.stdout.write(
            "NOT RUN: the two commands on a bare Debian, which needs root, and no container."
            " To run it: sudo make test IN=bare\n"
        )
        return 0
    for number in (signal.SIGTERM, signal.SIGINT):  # a shell lets background jobs ignore SIGINT
        signal.signal(number, signal.default_int_handler)
    try:
        try_commands(arguments.suite, everything=arguments.all)
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"[bare] failed: {shlex.join(error.cmd[-2:])}\n")
        return 1
    except subprocess.TimeoutExpired as error:
        sys.stderr.write(f"[bare] ended after {LIMIT_S} s: {shlex.join(error.cmd[-2:])}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("[bare] ended by a signal\n")
        return 1
    except (LookupError, OSError) as error:
        sys.stderr.write(f"[bare] failed: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
