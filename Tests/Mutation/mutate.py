"""Mutation testing of the check-in: `make mutation`.

Compiles all mutants of its rules, services and stores into a copy of the checkout (`--copy`), runs
its tests with each, and prints those that survive. `--path` and `--only N,M` choose mutants, `--list`
prints them.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from mutants import Mutator

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
MODULE = "Sources/CheckIn"
# Pages, views and what they print are judged by browsers; a landed schema never changes.
LEFT_OUT = re.compile(
    r"(Page|Pages|View|Views|Form|API|Schema|Doctor|Formatter|Model|Mailer|Responses|Requests|"
    r"Export|Health|Links|Map|Calendar|Month|Module|Jobs)\.swift$")
LIMIT = 240


def sources(folder):
    return [path for path in sorted((folder / MODULE).rglob("*.swift"))
            if not LEFT_OUT.search(path.name) and path.name != "Mutants.swift"]


def build(copy):
    """The places of errors; none if it was built."""
    done = subprocess.run(
        ["deploy/scripts/build-tests.sh"], cwd=copy, capture_output=True, text=True)
    if done.returncode == 0:
        return []
    found = set(re.findall(r"(Sources/CheckIn/[\w/+.]+\.swift):(\d+):\d+: error", done.stdout))
    if not found:
        sys.exit(done.stdout[-3000:] + done.stderr[-2000:])
    return [(path, int(line)) for path, line in found]


def prepare(copy):
    """Writes and builds the mutants; those that don't compile are left out."""
    known = copy / ".build/left-out-mutants.json"
    dropped = set(map(tuple, json.loads(known.read_text()))) if known.exists() else set()
    while True:
        mutator = Mutator(dropped)
        for path in sources(CHECKOUT):
            name = str(path.relative_to(CHECKOUT))
            text = mutator.file(name, path.read_text())
            if (copy / name).read_text() != text:
                (copy / name).write_text(text)
        (copy / MODULE / "Mutants.swift").write_text(mutator.support())
        errors = build(copy)
        if not errors:
            known.write_text(json.dumps(sorted(dropped)))
            return mutator.mutants
        before = len(dropped)
        for path, line in errors:
            here = [one for one in mutator.mutants if one.path == path]
            near = [one for one in here if one.line == line] or [
                one for one in here if abs(one.line - line) <= 8] or here
            dropped |= {(one.path, one.line, one.change) for one in near}
        print(f"{len(errors)} errors, {len(dropped)} mutants left out", flush=True)
        if len(dropped) == before:
            sys.exit(f"does not compile: {errors}")


def suites(copy):
    """The filters of the tests, quickest first."""
    names = []
    for path in sorted((copy / "Tests/AppTests/CheckIn").glob("*.swift")):
        names += re.findall(r"^struct (\w+Tests)\b", path.read_text(), re.M)
    names.remove("AlertSimulationTests")
    half = "|".join(names)
    return [r"^CheckInTests\.", rf"^AppTests\.({half})/", r"^AppTests\.AlertSimulationTests/"]


def is_killed(copy, number, filters, world):
    """The filter whose tests notice the mutant; None if it survives."""
    for choice in filters:
        environment = os.environ | {
            "MUTANT": str(number), "PAIRSPOT_TEST_SCHEDULES": str(world), "PAIRSPOT_TEST_SEED": "1"}
        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen(
                [".build/debug/PairSpotPackageTests.xctest", "--testing-library", "swift-testing",
                 "--filter", choice], cwd=copy, env=environment, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True)
            begin, failed = time.monotonic(), False
            while process.poll() is None and not failed:
                time.sleep(0.1)
                log.seek(0)
                failed = b"recorded an issue" in log.read() or time.monotonic() - begin > LIMIT
        if failed or process.returncode != 0:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            return choice
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--copy", type=pathlib.Path, required=True)
    parser.add_argument("--only")
    parser.add_argument("--path", default="", help="a regular expression for the files")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--worlds", type=int, default=1)
    options = parser.parse_args()
    copy = options.copy.resolve()
    if not copy.exists():
        shutil.copytree(
            CHECKOUT, copy, symlinks=True, ignore=shutil.ignore_patterns(".build", "var"))
    mutants = prepare(copy)
    print(f"{len(mutants)} mutants", flush=True)
    if options.list:
        print("\n".join(map(str, mutants)))
        return
    filters = suites(copy)
    assert is_killed(copy, 0, filters, options.worlds) is None, "the tests fail without a mutant"
    chosen = options.only and set(map(int, options.only.split(",")))
    killed, survivors = {}, []
    for mutant in mutants:
        if chosen and mutant.number not in chosen or not re.search(options.path, mutant.path):
            continue
        by = is_killed(copy, mutant.number, filters, options.worlds)
        if by:
            killed[by] = killed.get(by, 0) + 1
        else:
            survivors.append(mutant)
            print(f"survives: {mutant}", flush=True)
    print(f"{sum(killed.values())} killed, {len(survivors)} survive")
    for by, count in killed.items():
        print(f"  {count} by {by[:40]}")


if __name__ == "__main__":
    main()
