"""Processes are killed at random during writes; nothing acknowledged is lost or duplicated
(docs/operator/backup-and-restore.md). `PAIRSPOT_SEED` chooses another siege."""

import pytest

from ledgers import everybody
from push_stand_in import PushService
from siege import Siege
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
    siege = Siege(site)
    receipts = apple.sign(transaction(number) for number in range(coins))
    try:
        siege.run(everybody(siege, sink, push, receipts, made_codes(site, 50)), kills)
        siege.check()
    finally:
        push.stop()
