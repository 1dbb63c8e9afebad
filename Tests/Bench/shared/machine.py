"""The machine under test: its load, and its pending writes."""

import os
import pathlib
import platform
import re
import time

from . import knobs

# Load average of the last minute below which the machine is idle.
LOW = 0.7
PATIENCE = 120
# Results of all checks.
LOOKS = []


def quiet():
    """Waits for an idle machine, for two minutes at most; a single round is for trying out and
    doesn't wait. Syncs all data to disk: otherwise the first `fsync` of the measured program
    might write all of it. Returns the load."""
    os.sync()
    started = time.time()
    while (busy := os.getloadavg()[0]) >= LOW and time.time() - started < PATIENCE \
            and knobs.ROUNDS > 1:
        time.sleep(1)
    LOOKS.append(busy)
    print(f"   load {busy:.2f} after {time.time() - started:.0f} s of waiting", flush=True)
    return busy


def described():
    """Its processors, memory and system, as a short text."""
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    memory = int(re.search(r"MemTotal: +(\d+)", pathlib.Path("/proc/meminfo").read_text())[1])
    return (f"{os.cpu_count()} processors ({model[1] if model else platform.machine()}),"
            f" {memory / 2 ** 20:.0f} GiB, {platform.freedesktop_os_release()['PRETTY_NAME']}, Linux"
            f" {platform.release()}")
