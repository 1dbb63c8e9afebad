"""The machine that everything runs on: what else it does, and what it still has to write."""

import os
import pathlib
import platform
import re
import time

from . import knobs

# Of the last minute: below it nobody else is at work, and what was done before has faded.
LOW = 0.7
PATIENCE = 120
# What each look has found.
LOOKS = []


def quiet():
    """Waits for a machine that has nothing else to do, for two minutes at most; a single round is to
    try and doesn't wait. What was made so far is on the disk then: otherwise the first `fsync` of what
    is measured might write all of it. Answers the load."""
    os.sync()
    started = time.time()
    while (busy := os.getloadavg()[0]) >= LOW and time.time() - started < PATIENCE \
            and knobs.ROUNDS > 1:
        time.sleep(1)
    LOOKS.append(busy)
    print(f"   load {busy:.2f} after {time.time() - started:.0f} s of waiting", flush=True)
    return busy


def described():
    """Its processors, memory and system, in some words."""
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    memory = int(re.search(r"MemTotal: +(\d+)", pathlib.Path("/proc/meminfo").read_text())[1])
    return (f"{os.cpu_count()} processors ({model[1] if model else platform.machine()}),"
            f" {memory / 2 ** 20:.0f} GiB, {platform.freedesktop_os_release()['PRETTY_NAME']}, Linux"
            f" {platform.release()}")
