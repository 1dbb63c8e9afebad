"""A system clock that a test moves while handlers and worker run.

Tests can't set the clock of the machine, so libfaketime is preloaded into the programs. `serve`
starts its programs with an environment without LD_PRELOAD, so setsid(1) is replaced for this
instance only, in a mount namespace. Monotonic clocks (CLOCK_MONOTONIC) continue, as they do when
the time is set.
"""

import shutil
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from instance import PROGRAM

SETSID = "/usr/bin/setsid"


class MovingClock:
    def __init__(self, folder):
        self.folder = Path(folder) / "clock"
        self.folder.mkdir()
        self.file = self.folder / "offset"
        self.move()
        shutil.copy2(SETSID, self.folder / "setsid")
        self.program = self.script("pairspot", f"""\
exec unshare --mount sh -c '
mount --bind "{self.folder}/start" {SETSID} && exec "{PROGRAM}" "$@"' sh "$@"
""")
        self.script("start", f"""\
echo $$ >>"{self.folder}/started"
rm -f /dev/shm/faketime_shm_$$ /dev/shm/sem.faketime_sem_$$
LD_PRELOAD={library()} FAKETIME_TIMESTAMP_FILE={self.file} FAKETIME_NO_CACHE=1 \\
FAKETIME_DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1 exec {self.folder}/setsid "$@"
""")

    def script(self, name, words):
        file = self.folder / name
        file.write_text(f"#!/bin/sh\n{words}")
        file.chmod(0o755)
        return file

    def move(self, **by):
        """Sets the clock ahead or behind by this much; without an argument corrects it."""
        seconds = int(timedelta(**by).total_seconds())
        # Atomically: readers see one or the other.
        newer = self.file.with_suffix(".new")
        newer.write_text(f"{seconds:+d}\n")
        newer.replace(self.file)


    def tidy(self):
        """Removes files that the library leaves for each process id: another process with the
        same id could not start."""
        started = self.folder / "started"
        for id in started.read_text().split() if started.exists() else ():
            for name in (f"faketime_shm_{id}", f"sem.faketime_sem_{id}"):
                (Path("/dev/shm") / name).unlink(missing_ok=True)


def library():
    found = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
    assert found, "libfaketime is missing: deploy/scripts/packages.sh test"
    return found


@pytest.fixture
def moving_clock(tmp_path):
    allowed = subprocess.run(
        ["unshare", "--mount", "mount", "--bind", "/usr/bin", "/usr/bin"], capture_output=True)
    if allowed.returncode != 0:
        pytest.skip("nobody may mount here")
    clock = MovingClock(tmp_path)
    yield clock
    clock.tidy()
