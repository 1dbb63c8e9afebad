"""Where things are, and what the environment says of a run."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
BENCH = ROOT / "Tests/Bench"
# What the environment has asked for that is not what would be done without.
ASKED = {}


def asked(name, default):
    given = os.environ.get(name, str(default))
    if given != str(default):
        ASKED[name] = given
    return given


def number(name, default):
    return int(asked(name, default))


PROGRAM = pathlib.Path(asked("PROGRAM", ROOT / ".build/release/pairspot"))
# The folder with templates/, public/ and deploy/ that the program was built with.
SHARE = pathlib.Path(asked("SHARE", ROOT))
STORY_PROGRAM = ROOT / ".build/release/photo-story-tool"
PEER_PYTHON = pathlib.Path(asked("FASTAPI", ROOT / ".build/bench/bin/python"))
RESULTS = ROOT / ".build/bench/results.json"
TABLE = ROOT / ".build/bench/results.md"

USERS = number("USERS", 2000)
POSTS = number("POSTS", 100_000)
ROUNDS = number("ROUNDS", 5)
# Of one round of one subject.
SECONDS = number("SECONDS", 5)
# Of a handler process: the product's own default on one processor or two (two a processor, at least
# four). It stays so on a larger machine, as the peer's workers do: both stand in the results.
THREADS = number("THREADS", 4)
WORKERS = number("WORKERS", 2)
# How large the largest world of the rows about growth is; a single round is to try.
LARGEST = number("LARGEST", 1_000_000 if ROUNDS > 1 else 100_000)
