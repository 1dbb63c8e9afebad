"""The signed-in feed page on PostgreSQL: one database of which PairSpot and the peer serve the same page,
byte for byte."""

import re
import statistics

from FeedPage.feed_page import better, expect_same, prepared
from shared import knobs, machine
from shared.figures import Row, ratio, short, spread, summary
from shared.load import checked, measured
from shared.peer import Peer
from shared.processes import processor_seconds, still
from shared.rounds import in_turn
from shared.site import fetch, signed

OURS, EMBEDDED = "PairSpot on PostgreSQL", "PairSpot on SQLite"
ORM, CORE, PLAIN = "FastAPI, SQLAlchemy ORM", "FastAPI, SQLAlchemy Core", "FastAPI, psycopg"
WAYS = {ORM: ("/orm", "/pool/orm"), CORE: ("/core", "/pool/core"),
        PLAIN: ("/plain", "/pool/plain", "/async/plain")}


def rows(server, folder):
    embedded, session = prepared(folder)
    headers = signed(session)
    site = server.moved(embedded, folder, "feed")
    server.settle()
    peer = None
    try:
        site.for_measuring()
        embedded.for_measuring()
        page = site.fetch("/", headers)
        if page.count(b'data-testid="post"') != 20:
            raise SystemExit("the feed has not 20 posts")
        expect_same(page, embedded.fetch("/", headers), EMBEDDED)
        assets = re.search(rb'"(/assets/[^/"]+)/css', page)[1].decode()
        peer = Peer(site, site.url, folder / "peer", assets)
        peer.wait("/core", headers)
        machine.quiet()
        paths = {}
        for name, ways in WAYS.items():
            for way in ways:
                expect_same(page, fetch(peer.port, way, headers), way)
            paths[name] = better(peer, headers, ways)
        # The slower ways have left threads, connections and caches.
        peer.stop()
        peer = Peer(site, site.url, folder / "peer-measured", assets)
        peer.wait("/core", headers)
        ports = {OURS: site.port, EMBEDDED: embedded.port} | dict.fromkeys(WAYS, peer.port)
        urls = {name: f"http://127.0.0.1:{port}{paths.get(name, '/')}" for name, port in ports.items()}
        whose = {OURS: site.processes, EMBEDDED: embedded.processes} | dict.fromkeys(
            WAYS, peer.processes)
        each = {name: checked(name, url, headers, folder, len(page)) for name, url in urls.items()}
        rounds, costs = {name: [] for name in urls}, {name: [] for name in urls}
        for number in range(knobs.ROUNDS):
            for name, url in in_turn(urls.items(), number):
                before = whose[name]()
                used = processor_seconds(before)
                one = measured(name, url, headers, each=each[name])
                used = processor_seconds(still(before, whose[name](), name)) - used
                rounds[name].append(one)
                costs[name].append(1000 * used / one.answers)
        note = server.described()
    finally:
        if peer:
            peer.stop()
        embedded.stop()
        site.stop()
    return table(rounds, costs, len(page), note)


def table(rounds, costs, size, note):
    rates, middles, slow = ({name: [getattr(one, of) for one in them] for name, them in rounds.items()}
                            for of in ("rate", "p50", "p99"))
    figures = {name: {"requests_a_second": summary(rates[name]), "p50_ms": summary(middles[name]),
                      "p99_ms": summary(slow[name]), "processors_ms": summary(costs[name])}
               for name in rounds}
    for name in rounds:
        print(f"{name}: {spread(rates[name])} a second, p50 {spread(middles[name], 'ms')}, p99"
              f" {spread(slow[name], 'ms')}, {spread(costs[name], 'ms')} of processors a page without"
              " the server's")

    def line(other, words, aim, least, said):
        found = ratio(rates[OURS], rates[other])
        return Row(
            f"signed-in feed page (20 posts, {size / 1000:.0f} KB)", words, found, aim,
            least and found.middle >= least, f"{short(statistics.median(rates[OURS]))} beside"
            f" {short(statistics.median(rates[other]))} a second; processors' time a page"
            f" {short(statistics.median(costs[OURS]))} beside"
            f" {short(statistics.median(costs[other]))} ms{said}",
            {name: figures[name] for name in (OURS, other)})

    tails = ratio(slow[OURS], slow[ORM])
    kind = f"{knobs.WORKERS} workers; the same page, byte for byte"
    return [
        line(ORM, f"FastAPI, SQLAlchemy ORM, psycopg, {kind}", "≥ 12 times", 12, f"; {note}"),
        Row("its p99", "the same", tails, "≤ 0.1", tails.middle <= 0.1,
            f"{spread(slow[OURS])} beside {spread(slow[ORM])} ms"),
        line(CORE, "the same with SQLAlchemy Core", "≥ 7 times", 7, ""),
        line(PLAIN, "the same with psycopg alone", "", None, ""),
        line(EMBEDDED, "ours on SQLite", "", None,
             f"; p50 {spread(middles[OURS])} beside {spread(middles[EMBEDDED])} ms"),
    ]
