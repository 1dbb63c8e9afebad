"""Paths, and settings of a run from the environment."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
BENCH = ROOT / "Tests/Bench"
# Settings from the environment that differ from the defaults.
ASKED = {}


def asked(name, default):
    given = os.environ.get(name, str(default))
    if given != str(default):
        ASKED[name] = given
    return given


def number(name, default):
    return int(asked(name, default))


PROGRAM = pathlib.Path(asked("PROGRAM", ROOT / ".build/release/pairspot"))
PICTURES = PROGRAM.with_name("pairspot-pictures")
# The folder with templates/, public/ and deploy/ from which the program was built.
SHARE = pathlib.Path(asked("SHARE", ROOT))
STORY_PROGRAM = ROOT / ".build/release/photo-story-tool"
PEER_PYTHON = pathlib.Path(asked("FASTAPI", ROOT / ".build/bench/bin/python"))
RESULTS = ROOT / ".build/bench/results.json"
TABLE = ROOT / ".build/bench/results.md"

USERS = number("USERS", 2000)
POSTS = number("POSTS", 100_000)
ROUNDS = number("ROUNDS", 5)
# Length of one round of one subject, in s.
SECONDS = number("SECONDS", 5)
# Threads of a handler process: the product's own default on one processor or two (two a processor,
# at least four). It is the same on a larger machine, as is the number of the peer's workers: both
# are in the results.
THREADS = number("THREADS", 4)
WORKERS = number("WORKERS", 2)
# Size of the largest instance of the rows about growth; a single round is for trying out.
LARGEST = number("LARGEST", 1_000_000 if ROUNDS > 1 else 100_000)
# At most this number of people in it: with 10,000,000 posts there are 1,000,000.
MOST_PEOPLE = 1_000_000
# A folder in which the instances of the rows about growth stay for the next run; none by default. The
# largest takes most of an hour to make.
KEPT = asked("KEPT", "")
