"""A machine's clock that a test moves while handlers and worker live.

Nobody may set the clock of the machine that tests run on, so libfaketime stands between the
programs and theirs. It is preloaded, and `serve` gives its programs an environment of its own,
without LD_PRELOAD: so their way in, setsid(1), is another one for this instance alone, in a mount
namespace. Clocks that only count (CLOCK_MONOTONIC) go on as they do when somebody sets the time.
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
        """Sets it so much ahead of, or behind, where it would be; nothing: puts it right."""
        seconds = int(timedelta(**by).total_seconds())
        # In one step: whoever looks sees one or the other.
        newer = self.file.with_suffix(".new")
        newer.write_text(f"{seconds:+d}\n")
        newer.replace(self.file)


    def tidy(self):
        """Removes what the library leaves of each process, by its number: another one that came to
        have the same number could not start."""
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
