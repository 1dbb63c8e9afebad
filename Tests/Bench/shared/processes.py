"""Memory and CPU time of processes."""

import os
import pathlib
import re
import subprocess
import sys

# Children that outlive this process by accident must not keep its output open: readers would wait
# for its end for ever.
APART = dict(
    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    start_new_session=True)
TICKS = os.sysconf("SC_CLK_TCK")


def family(pid):
    """A process and all its running descendants."""
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
    """The current processes. If one of the earlier ones has ended, the rest is not what was
    measured, and there is no result."""
    gone = set(before) - set(now)
    if gone:
        sys.exit(f"{whose}: {len(gone)} of {len(before)} processes have ended meanwhile")
    return now


def megabytes(pids, of="Pss"):
    """Memory of processes (proportional set size: shared pages count once); `Pss_Anon` excludes
    files. An ended process is an error, not 0."""
    size = 0
    for pid in pids:
        rollup = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
        size += int(re.search(rf"\n{of}:\s+(\d+)", rollup)[1])
    return size / 1024


def by_name(pids):
    """Memory of each of them, by its command."""
    held = {}
    for pid in pids:
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
        name = " ".join([pathlib.Path(words[0]).name, *words[1:2]])[:40]
        held[name] = round(held.get(name, 0) + megabytes([pid]), 1)
    return held


def processor_seconds(pids):
    """CPU time of processes and of their ended children."""
    total = 0
    for pid in pids:
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15]))
    return total / TICKS
