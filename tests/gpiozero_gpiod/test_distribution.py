"""The pin factory as other projects get it: as a wheel of its own, or with the clock's.

Each wheel is built and unpacked into an environment that has gpiozero and what gpiozero-gpiod
depends on, and nothing else. Then a foreign project with its own folder `hardware` is run there.
"""

import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

from lab.support.paths import ROOT

SOURCE = ROOT / "gpiozero_gpiod"
DEPENDENCIES = ("gpiozero", "colorzero", "gpiod")  # gpiozero needs colorzero

pytestmark = pytest.mark.slow

FOREIGN_PROGRAM = """
import sys
import threading
from pathlib import Path

import gpiozero_gpiod
from gpiozero.pins.local import LocalPiFactory
from kernel import FakeKernel

# This computer is made a Pi 4.
kernel = FakeKernel([("gpiochip0", "pinctrl-bcm2711")])
simulated = {"open_chip": kernel.open_chip, "devices": Path("dev")}
gpiozero_gpiod.GpiodFactory.__init__.__kwdefaults__.update(simulated)
LocalPiFactory._get_revision = lambda self: 0xC03115

from gpiozero import Button
from hardware import PIN  # the project's own

pressed = threading.Event()
button = Button(PIN)
button.when_pressed = pressed.set
kernel.press(PIN)
assert pressed.wait(60)
print(type(button.pin_factory).__module__, sorted(name for name in sys.modules if name == "clock"))
button.close()
"""


@pytest.fixture(scope="module", params=["gpiozero_gpiod", "."])
def wheel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT / request.param, check=True, capture_output=True)
    [built] = folder.iterdir()
    return built


def install(wheel: Path, environment: Path) -> Path:
    """Make an environment with a wheel and the dependencies; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    [packages] = environment.glob("lib/python*/site-packages")
    zipfile.ZipFile(wheel).extractall(packages)
    for name in DEPENDENCIES:
        for file in distribution(name).files or ():
            if ".." not in file.parts:
                (packages / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(Path(str(file.locate())), packages / file)
    return environment / "bin" / "python"


def test_a_foreign_project_with_its_own_hardware_folder(wheel: Path, tmp_path: Path) -> None:
    """GPIOZERO_PIN_FACTORY=gpiod is enough; whatever else the project calls its own."""
    python = install(wheel, tmp_path / "environment")
    project = tmp_path / "project"
    (project / "hardware").mkdir(parents=True)
    (project / "hardware" / "__init__.py").write_text("PIN = 17\n", encoding="utf-8")
    (project / "dev").mkdir()
    (project / "dev" / "gpiochip0").touch()
    (project / "main.py").write_text(FOREIGN_PROGRAM, encoding="utf-8")
    shutil.copy(ROOT / "lab" / "support" / "gpio_kernel.py", project / "kernel.py")
    environ = {"GPIOZERO_PIN_FACTORY": "gpiod"}
    done = subprocess.run(
        [python, "main.py"], cwd=project, env=environ, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("gpiozero_gpiod.factory []\n", "")


def test_a_wheel_has_the_package_as_it_is_here(wheel: Path) -> None:
    """Each module, byte for byte, and nothing of the folder that is not the package's."""
    with zipfile.ZipFile(wheel) as archive:
        packed = {
            name.partition("/")[2]: archive.read(name)
            for name in archive.namelist()
            if name.startswith("gpiozero_gpiod/")
        }
    assert packed == {
        path.name: path.read_bytes() for path in [*SOURCE.glob("*.py"), SOURCE / "py.typed"]
    }
