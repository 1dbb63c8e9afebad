"""Tests of the bench's own arithmetic: `python3 -m unittest discover -s Tests/Bench -t
Tests/Bench`; each run of `bench.py` begins with it."""

import os
import unittest
from unittest import mock

from . import fastcgi, knobs
from .figures import Ratio, Row, ratio, short, spread, table
from .load import expect_bytes, read, whole
from .processes import still
from .rounds import in_turn


WRK = """Running 5s test @ http://127.0.0.1:8080/
  2 threads and 32 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.40ms    2.10ms  31.00ms   89.50%
    Req/Sec    11.50k     1.20k   13.10k    75.99%
  Latency Distribution
     50%    1.31ms
     75%    1.60ms
     90%    2.00ms
     99%    1.02s
  114563 requests in 5.00s, 1.50GB read
  Socket errors: connect 1, read 0, write 0, timeout 3
  Non-2xx or 3xx responses: 5
Requests/sec:  22904.11
Transfer/sec:    285.93MB
Right: 7 Wrong: 2
"""


class Figures(unittest.TestCase):
    def test_a_ratio_is_that_of_the_rounds(self):
        # A machine three times slower in the last round changes nothing.
        found = ratio([100, 110, 30], [10, 10, 3])
        self.assertEqual((found.middle, found.least, found.most), (10, 10, 11))

    def test_rounds_that_are_missing_are_no_ratio(self):
        with self.assertRaises(ValueError):
            ratio([1, 2], [1])
        with self.assertRaises(ValueError):
            ratio([], [])

    def test_each_is_first_in_turn(self):
        rounds = [in_turn(dict(ours=1, theirs=2), number) for number in range(3)]
        self.assertEqual([first for first, _ in rounds], ["ours", "theirs", "ours"])

    def test_figures_are_short(self):
        self.assertEqual([short(value) for value in (1234.5, 12.345, 1.234, 0.1234, 0.01234)],
                         ["1,234", "12.3", "1.23", "0.12", "0.012"])
        self.assertEqual(spread([3, 1, 2], "ms"), "2.00 ms (1.00–3.00)")

    def test_a_row_says_whether_it_meets_its_aim(self):
        row = Row("a | b", "c", Ratio(2, 1, 3), "≥ 1", True, "quiet")
        self.assertEqual(row.line(), "| a / b | c | 2.00 (1.00–3.00) | ≥ 1 | met; quiet |")
        self.assertEqual(len(table([row]).splitlines()), 3)

    def test_names_and_values_of_fastcgi_have_their_length_in_front(self):
        self.assertEqual(fastcgi.length(127), b"\x7f")
        self.assertEqual(fastcgi.length(300), b"\x80\x00\x01\x2c")
        self.assertEqual(fastcgi.record(1, b"ab"), b"\x01\x01\x00\x01\x00\x02\x00\x00ab")

    def test_what_wrk_says_is_read(self):
        one = read(WRK)
        self.assertEqual((one.rate, one.p50, one.p99), (22904.11, 1.31, 1020))
        # Two errors of the script are among the five of wrk.
        self.assertEqual((one.right, one.wrong, one.dropped, one.refused), (7, 5, 4, 9))
        self.assertEqual((one.seconds, one.right_rate), (5, 1.4))
        self.assertEqual((one.answers, one.bytes), (114_563, 1.5 * 1024 ** 3))
        quiet = read(WRK.replace("1.50GB", "512.00B").partition("  Socket")[0] + "Requests/sec: 1.00")
        self.assertEqual((quiet.wrong, quiet.dropped, quiet.bytes), (0, 0, 512))

    def test_wrong_answers_show_in_the_bytes(self):
        self.assertIsNone(expect_bytes(1000, 1000 * 47_000, 47_000, 32))
        # Each connection may have received nearly all of one more.
        self.assertIsNone(expect_bytes(100, 131 * 47_000, 47_000, 32))
        # One in twenty is a redirect to the sign-in form.
        self.assertIn("44,675 bytes", expect_bytes(1000, 950 * 47_000 + 50 * 500, 47_000, 32))
        self.assertIsNotNone(expect_bytes(1000, 1100 * 47_000, 47_000, 32))
        self.assertIsNotNone(expect_bytes(0, 0, 47_000, 32))

    def test_a_process_that_has_ended_is_no_figure(self):
        self.assertEqual(still([1, 2], [1, 2, 3], "ours"), [1, 2, 3])
        with self.assertRaises(SystemExit):
            still([1, 2], [2, 3], "ours")

    def test_only_what_was_asked_for_is_told(self):
        with mock.patch.dict(os.environ, A="5", B="6"), mock.patch.dict(knobs.ASKED, clear=True):
            self.assertEqual([knobs.number(name, 5) for name in "ABC"], [5, 6, 5])
            self.assertEqual(knobs.ASKED, {"B": "6"})

    def test_an_answer_is_whole(self):
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n"
        self.assertFalse(whole(head))
        self.assertFalse(whole(head + b"\r\nab"))
        self.assertTrue(whole(head + b"\r\nabc"))
        chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
        self.assertFalse(whole(chunked))
        self.assertTrue(whole(chunked + b"0\r\n\r\n"))
