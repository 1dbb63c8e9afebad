"""`deploy/scripts/count-tests.py`, with files as Swift Testing and pytest write them."""

import pytest

SWIFT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="TestResults" errors="0" tests="3" failures="3" skipped="1" time="0.007">
    <testcase classname="A" name="para(_:)" time="0.001" >
      <failure message="Expectation failed: 4 &lt; 4 (error)" />
      <failure message="Expectation failed: 5 &lt; 4 (error)" />
    </testcase>
    <testcase classname="A" name="throwing()" time="0.001" ><failure message="E()" /></testcase>
    <testcase classname="A" name="off()" ><skipped /></testcase>
    <testcase classname="A" name="good()" time="0.001" />
  </testsuite>
</testsuites>
"""
PYTEST = """<?xml version="1.0" encoding="utf-8"?>
<testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="0" tests="2">
<testcase classname="test_a" name="test_one" time="0.1" />
<testcase classname="test_a" name="test_two" time="0.1"><error message="setup" /></testcase>
</testsuite></testsuites>
"""


@pytest.fixture
def counts(script, tmp_path):
    def count(text=None):
        if text is not None:
            (tmp_path / "tests.xml").write_text(text)
        return script("count-tests").counts(tmp_path / "tests.xml")

    return count


def test_a_test_with_two_issues_is_one_failed_test(counts):
    assert counts(SWIFT) == (1, 2, 1)


def test_an_error_counts_as_a_failure(counts):
    assert counts(PYTEST) == (1, 1, 0)


def test_a_test_that_was_tried_again_is_one(counts):
    again = PYTEST.replace("test_one", "test_two").replace('<error message="setup" />', "")
    assert counts(again) == (1, 0, 0)
    assert counts(PYTEST.replace("test_one", "test_two")) == (0, 1, 0)


@pytest.mark.parametrize("text", [None, "", SWIFT[:60], SWIFT[:400], "<testsuites></testsuites>"])
def test_what_a_crash_leaves_behind_is_a_failure(counts, text):
    assert counts(text) == (0, 1, 0)
