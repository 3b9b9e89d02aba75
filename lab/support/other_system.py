"""Run a command as if this computer had Windows or macOS: what their Python lacks is absent.

Missing are modules, and names of `os`, `select`, `signal` and `time`. For "win32" `os.open` refuses
a directory, and a file without O_BINARY: Windows would change its line ends. The C library and the
file system are still Linux's. So this shows that a command needs nothing that is not there, but not
that it works there.

    python -X warn_default_encoding lab/support/other_system.py win32 verify match.jsonl
    python -X warn_default_encoding lab/support/other_system.py win32 --each FOLDER <COMMANDS

COMMANDS: a JSON object of command lines by name. Each is run in a process of its own, in the
folder FOLDER/NAME, beside which stand then NAME.out, NAME.err and NAME.code.
"""

import asyncio
import importlib
import json
import os
import select
import selectors
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from fnmatch import filter as matching
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

# These choose their way when they are imported, and would now choose one that needs Windows.
LIBRARIES = ("asyncio", "ctypes", "subprocess", "tempfile", "click", "msgspec", "rich.console")
FOR_CHARTS = ("numpy", "matplotlib.font_manager", "matplotlib.figure")
FOR_PAGES = ("paho.mqtt.client", "serial", "urllib.request", "uvicorn")  # segno: urllib.request
LESS_AND_LESS = ("linux", "darwin", "win32")  # what macOS lacks Windows lacks too
MODULES = {
    "linux": "",
    "darwin": "gpiod inotify_simple lgpio spidev systemd RPi",
    "win32": "curses fcntl grp posix pty pwd readline resource smbus2 syslog termios tty",
}
# From typeshed: what it gives to "linux" and not to "darwin", or not to "win32".
NAMES: dict[str, dict[ModuleType, str]] = {
    "linux": {},
    "darwin": {
        os: "EFD_* GRND_* MFD_* O_DIRECT O_LARGEFILE O_NOATIME O_PATH O_RSYNC O_TMPFILE"
        " POSIX_FADV_* P_PIDFD RTLD_DEEPBIND RWF_* SCHED_BATCH SCHED_IDLE SPLICE_* ST_NO[!S]*"
        " ST_REL* XATTR_* copy_file_range"
        " eventfd* fdatasync getrandom getresgid getresuid getxattr listxattr memfd_create"
        " pidfd_open pipe2 posix_fadvise posix_fallocate removexattr sched_get[apsr][!r]*"
        " sched_set* setresgid setresuid setxattr splice waitid",
        select: "EPOLL* POLLMSG POLLRDHUP epoll",
        signal: "SIGCLD SIGPOLL SIGPWR SIGRT* SIGSTKFLT pidfd_* sigtimedwait sigwaitinfo",
        time: "CLOCK_BOOTTIME CLOCK_TAI pthread_getcpuclockid",
    },
    "win32": {
        os: "CLD_* EX_[!O]* EX_OSERR EX_OSFILE F_*LOCK F_TEST NGROUPS_MAX O_ACCMODE O_ASYNC"
        " O_CLOEXEC O_DIRECTORY O_DSYNC O_FSYNC O_NDELAY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_SYNC"
        " POSIX_SPAWN_* PRIO_* P_ALL P_PGID P_PID RTLD_* SCHED_* SEEK_DATA SEEK_HOLE ST_* WCO*"
        " WEX* WIF* WNO* WST* WTERM* WUN* chown chroot confstr* ctermid environb fchdir fchmod"
        " fchown fork forkpty fpathconf fstatvfs fwalk get_blocking get*gid get*uid getenvb"
        " getgrouplist getgroups getloadavg getpgrp getpriority getsid initgroups killpg lchown"
        " lockf login_tty major makedev minor mkfifo mknod nice openpty pathconf* posix_spawn*"
        " pread* pwrite* readv register_at_fork sched_* sendfile set*id set_blocking setgroups"
        " setpgrp setpriority spawnlp* spawnvp* statvfs sync sysconf* tcgetpgrp tcsetpgrp ttyname"
        " uname wait wait3 wait4 waitid* writev",
        select: "PIPE_BUF POLL* poll",
        signal: "ITIMER_* ItimerError SIGALRM SIGBUS SIGCHLD SIGCONT SIGHUP SIGIO* SIGKILL SIGPIPE"
        " SIGPROF SIGQUIT SIGSTOP SIGSYS SIGTRAP SIGTSTP SIGTT* SIGURG SIGUSR* SIGVTALRM SIGWINCH"
        " SIGXCPU SIGXFSZ SIG_BLOCK SIG_SETMASK SIG_UNBLOCK Sigmasks alarm getitimer pause"
        " pthread_* setitimer siginterrupt sigpending sigwait struct_siginfo",
        time: "CLOCK_* clock_get* clock_set* pthread_getcpuclockid tzset",
    },
}
O_BINARY = 0x8000  # on Windows; Linux ignores it


def become(system: str) -> None:
    """Take away what a system lacks, for the rest of this process; "linux" lacks nothing."""
    for each in LESS_AND_LESS[: LESS_AND_LESS.index(system) + 1]:
        for name in MODULES[each].split():
            sys.modules[name] = None  # type: ignore[assignment] # importing it then fails
        for module, patterns in NAMES[each].items():
            for name in _names(module, patterns):
                delattr(module, name)
    if system == "win32":
        vars(os).update(open=_windows_open(os.open), O_BINARY=O_BINARY)
        vars(asyncio)["ProactorEventLoop"] = asyncio.SelectorEventLoop  # uvicorn's choice there
    if system != "linux":
        if sys.version_info >= (3, 13):  # from Python 3.13 on it asks for what was taken away
            os.process_cpu_count = os.cpu_count
        vars(selectors)["DefaultSelector"] = selectors.SelectSelector  # for asyncio
    sys.platform = system


def _names(module: ModuleType, patterns: str) -> Iterator[str]:
    for pattern in patterns.split():
        yield from matching(dir(module), pattern)


def _windows_open(real: Any) -> Any:
    def opened(path: Path, flags: int, mode: int = 0o777) -> int:
        if os.path.isdir(path):  # noqa: PTH112 (any kind of path)
            raise PermissionError(13, "Permission denied", str(path))
        if not flags & O_BINARY:
            raise AssertionError(f"{path} is opened without O_BINARY")
        return int(real(path, flags, mode))

    return opened


def run(command: list[str]) -> NoReturn:
    """Run a command, and end."""
    sys.argv[0] = "gammonclock"
    importlib.import_module("gammonclock.__main__").main(command)
    raise SystemExit


def run_each(commands: dict[str, list[str]], folder: Path, fork: Any, wait: Any) -> None:
    """Run commands, each in a child that has the modules of all of them already.

    This process may have lost `os.fork` and `os.waitpid`: they are given.
    """
    program = importlib.import_module("gammonclock.__main__").main
    for name, *_ in commands.values():
        program.load(name)
    for name, command in commands.items():
        if child := fork():
            code = os.waitstatus_to_exitcode(wait(child, 0)[1])
            (folder / f"{name}.code").write_text(str(code), encoding="ascii")
            continue
        for number, kind in ((1, "out"), (2, "err")):
            with (folder / f"{name}.{kind}").open("wb") as file:
                os.dup2(file.fileno(), number)
        os.chdir(folder / name)
        run(command)


def main() -> NoReturn:
    """Become the system that the first argument names, and run the command of the others."""
    system, *command = sys.argv[1:]
    each: dict[str, list[str]] = json.load(sys.stdin) if command[0] == "--each" else {}
    fork, wait = os.fork, os.waitpid
    warnings.filterwarnings("ignore", category=EncodingWarning)
    warnings.filterwarnings(
        "error", category=EncodingWarning, module=r"(clock|gammonclock|hardware|room)\b"
    )
    for_charts = FOR_CHARTS if each or "--chart" in command else ()
    for_pages = FOR_PAGES if "watch" in command else ()
    for name in (*LIBRARIES, *for_charts, *for_pages):
        importlib.import_module(name)
    if for_pages:
        sys.modules["serial"].protocol_handler_packages.append("lab.support")
    become(system)
    if not each:
        run(command)
    run_each(each, Path(command[1]), fork, wait)
    raise SystemExit


if __name__ == "__main__":
    main()
