"""The git state of the measured files."""

import subprocess

from . import knobs


def git(*words):
    """None without git or without a result."""
    try:
        done = subprocess.run(["git", "-C", knobs.ROOT, *words], capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def commit(but=()):
    """The commit that is checked out, and whether the files are unchanged; `but` are files to
    ignore."""
    changed = git("status", "--porcelain", "--", ".", *(f":(exclude){file}" for file in but))
    return {"commit": git("rev-parse", "HEAD"), "clean": None if changed is None else not changed}
