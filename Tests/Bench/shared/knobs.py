"""Where things are, and what the environment says of a run."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
BENCH = ROOT / "Tests/Bench"
PROGRAM = pathlib.Path(os.environ.get("PROGRAM", ROOT / ".build/release/pairspot"))
# The folder with templates/, public/ and deploy/ that the program was built with.
SHARE = pathlib.Path(os.environ.get("SHARE", ROOT))
STORY_PROGRAM = ROOT / ".build/release/photo-story-tool"
PEER_PYTHON = pathlib.Path(os.environ.get("FASTAPI", ROOT / ".build/bench/bin/python"))
RESULTS = ROOT / ".build/bench/results.json"
TABLE = ROOT / ".build/bench/results.md"


def number(name, default):
    return int(os.environ.get(name, default))


USERS = number("USERS", 2000)
POSTS = number("POSTS", 100_000)
ROUNDS = number("ROUNDS", 5)
# Of one round of one subject.
SECONDS = number("SECONDS", 5)
# Of a handler process; the product's own default.
THREADS = number("THREADS", 4)
# How large the largest world of the rows about growth is; a single round is to try.
LARGEST = number("LARGEST", 1_000_000 if ROUNDS > 1 else 100_000)
