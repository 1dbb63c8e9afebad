"""The operator's metrics with several processes."""

import re

from people import Visitor


def asked_for_about(visitor):
    text = visitor.get("/metrics").text
    found = re.search(
        r'^pairspot_request_duration_seconds_count\{route="GET /about"\} (\d+)$', text, re.M)
    return int(found[1])


def test_whichever_process_is_asked_tells_of_all_also_after_a_restart(own_site):
    site = own_site(PAIRSPOT_PROCESSES="2")
    visitor = Visitor(site)
    for _ in range(40):
        assert visitor.get("/about").status == 200
    assert {asked_for_about(visitor) for _ in range(12)} == {40}
    site.stop()
    site.start()
    visitor = Visitor(site)
    assert visitor.get("/about").status == 200
    assert {asked_for_about(visitor) for _ in range(12)} == {41}
