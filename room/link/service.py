"""What the service manager says of the clock's service."""

import asyncio
import shutil
import subprocess

UNIT = "gammonclock.service"
ASK_S = 5.0  # how long to wait for the service manager


async def clock_service() -> tuple[str, str]:
    """Return the state of the clock's service and what it says of itself; empty: not known."""
    systemctl = shutil.which("systemctl")
    if systemctl is None:
        return "", ""
    command = (systemctl, "show", "--property=ActiveState,StatusText", UNIT)
    try:
        asked = await asyncio.to_thread(
            subprocess.run, command, capture_output=True, timeout=ASK_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return "", ""
    lines = asked.stdout.decode(errors="replace").splitlines()
    found = dict(line.partition("=")[::2] for line in lines)
    return found.get("ActiveState", ""), found.get("StatusText", "")
