"""What git says of the files that are measured."""

import subprocess

from . import knobs


def git(*words):
    """None where there is no git, or nothing that it knows."""
    try:
        done = subprocess.run(["git", "-C", knobs.ROOT, *words], capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def commit(but=()):
    """The commit that is checked out, and whether the files are those of it; `but` are files that
    don't count."""
    changed = git("status", "--porcelain", "--", ".", *(f":(exclude){file}" for file in but))
    return {"commit": git("rev-parse", "HEAD"), "clean": None if changed is None else not changed}
