"""What processes hold and use."""

import os
import pathlib
import re
import subprocess
import sys

# Children that outlive us by accident must not hold on to our output: who waits for its end
# would wait for ever.
APART = dict(
    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    start_new_session=True)
TICKS = os.sysconf("SC_CLK_TCK")


def family(pid):
    """A process and all that it started, as far as they live."""
    parents = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(folder.name))
    found, new = [], [pid]
    while new:
        found += new
        new = [child for parent in new for child in parents.get(parent, [])]
    return found


def still(before, now, whose):
    """The processes that are there now. Who was there before and is gone has ended in between: what is
    left then is another thing than what was measured, and no figure."""
    gone = set(before) - set(now)
    if gone:
        sys.exit(f"{whose}: {len(gone)} of {len(before)} processes have ended meanwhile")
    return now


def megabytes(pids, of="Pss"):
    """What processes hold (proportional set size: what several share counts once); `Pss_Anon` is what
    is in no file. One that is gone is an error, not nothing."""
    size = 0
    for pid in pids:
        rollup = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
        size += int(re.search(rf"\n{of}:\s+(\d+)", rollup)[1])
    return size / 1024


def by_name(pids):
    """What each of them holds, by its command."""
    held = {}
    for pid in pids:
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
        name = " ".join([pathlib.Path(words[0]).name, *words[1:2]])[:40]
        held[name] = round(held.get(name, 0) + megabytes([pid]), 1)
    return held


def processor_seconds(pids):
    """Of processes, and of what they waited for."""
    total = 0
    for pid in pids:
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15]))
    return total / TICKS
