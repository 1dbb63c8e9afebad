"""What all processes of one side hold after the load of the feed page, while nobody of the other side
runs: both map the same file, and what two sides share would count half for each. Each sample has
processes of its own, which have answered nothing but the feed page, and whether they are there."""

from shared import knobs
from shared.load import measured
from shared.processes import by_name, megabytes, still
from shared.rounds import in_turn

SAMPLES = min(3, knobs.ROUNDS)
LOAD = 2 * knobs.SECONDS
KINDS = ("Pss", "Pss_Anon")


def samples(sides):
    """Of each kind the MB of each sample, by whose processes. A side begins, and says at what address
    it is asked with which headers, whose processes it has, and how it is stopped."""
    held = {}
    for number in range(SAMPLES):
        for name, begin in in_turn(sides.items(), number):
            for whose, kinds in sample(name, *begin()).items():
                for kind, size in kinds.items():
                    held.setdefault(whose, {}).setdefault(kind, []).append(size)
    return held


def sample(name, url, headers, each, whose, stop):
    """`whose` has the processes that count, by name."""
    try:
        before = {name: pids() for name, pids in whose.items()}
        one = measured(name, url, headers, seconds=LOAD, each=each)
        # Those that are there after the load: what came during it counts as well.
        now = {name: still(before[name], pids(), name) for name, pids in whose.items()}
        held = {name: {kind: megabytes(pids, kind) for kind in KINDS} for name, pids in now.items()}
        print(f"{name}, after {one.answers:,} answers, MB:",
              by_name({pid for pids in now.values() for pid in pids}), flush=True)
        return held
    finally:
        stop()
