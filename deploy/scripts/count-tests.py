#!/usr/bin/env python3
"""Prints how many tests of a JUnit file passed, failed and were skipped.

    count-tests.py FILE

Counts test cases, since Swift Testing's totals count issues as failures and leave out what was
skipped. A file that is missing, cut off or empty of tests, as after a crash, is one failure.
"""

import sys
import xml.etree.ElementTree as tree


def counts(path):
    """Passed, failed, skipped."""
    try:
        cases = list(tree.parse(path).getroot().iter("testcase"))
    except (OSError, tree.ParseError):
        cases = []
    bad = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    return (len(cases) - bad - skipped, bad, skipped) if cases else (0, 1, 0)


if __name__ == "__main__":
    print(*counts(sys.argv[1]))
