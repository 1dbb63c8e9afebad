"""Processes are killed at random during writes; nothing acknowledged is lost or duplicated
(docs/operator/backup-and-restore.md). `PAIRSPOT_SEED` chooses another crash_test."""

import pytest

from state_ledgers import everybody
from fake_push_service import PushService
from crash_test import CrashTest
from test_faults import smtp
from test_wallet import Apple, made_codes, transaction


@pytest.mark.parametrize("kills, coins", [
    (10, 40), pytest.param(100, 400, marks=pytest.mark.long)])
def test_nothing_acknowledged_is_lost_or_doubled_while_processes_are_killed(
        own_site, sink, tmp_path, kills, coins):
    apple, push = Apple(tmp_path / "apple"), PushService()
    site = own_site(
        PAIRSPOT_DEMO="1", PAIRSPOT_PROCESSES="2", PAIRSPOT_PUSH_HOSTS=push.origin,
        **apple.variables, **smtp(sink.port))
    crash_test = CrashTest(site)
    receipts = apple.sign(transaction(number) for number in range(coins))
    try:
        crash_test.run(everybody(crash_test, sink, push, receipts, made_codes(site, 50)), kills)
        crash_test.check()
    finally:
        push.stop()
