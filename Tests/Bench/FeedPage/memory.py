"""Memory of all processes of one side after the load of the feed page, while no process of the
other side runs: both map the same file, and shared pages would count half for each. Each sample
has its own processes, which have answered nothing but the feed page, and checks that they still
run."""

from shared import knobs
from shared.load import measured
from shared.processes import by_name, megabytes, still
from shared.rounds import in_turn

SAMPLES = min(3, knobs.ROUNDS)
LOAD = 2 * knobs.SECONDS
KINDS = ("Pss", "Pss_Anon")


def samples(sides):
    """The MB of each sample by kind and owner of the processes. A side starts and returns its
    URL and headers, its processes, and how to stop it."""
    held = {}
    for number in range(SAMPLES):
        for name, begin in in_turn(sides.items(), number):
            for whose, kinds in sample(name, *begin()).items():
                for kind, size in kinds.items():
                    held.setdefault(whose, {}).setdefault(kind, []).append(size)
    return held


def sample(name, url, headers, each, whose, stop):
    """`whose` has the counted processes, by name."""
    try:
        before = {name: pids() for name, pids in whose.items()}
        one = measured(name, url, headers, seconds=LOAD, each=each)
        # The processes after the load, including those started during it.
        now = {name: still(before[name], pids(), name) for name, pids in whose.items()}
        held = {name: {kind: megabytes(pids, kind) for kind in KINDS} for name, pids in now.items()}
        print(f"{name}, after {one.answers:,} answers, MB:",
              by_name({pid for pids in now.values() for pid in pids}), flush=True)
        return held
    finally:
        stop()
