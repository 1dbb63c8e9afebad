"""Uploads of twenty workouts on PostgreSQL: PairSpot's database, and a copy of it on the same server for
the peer. Each client is another person: transactions that count the workouts of one person at the
same time would repeat each other."""

import itertools
import statistics

from shared import knobs, machine
from shared.figures import Row, ratio, short, spread, summary
from shared.peer import Peer
from shared.rounds import in_turn
from shared.site import HOST
from Workouts.riding import BATCH, Caller, sign_in
from Workouts.uploads import (
    CLIENTS, RIDE, SHORT, Subject, expect_samples, faster, made, prepared)

from .feed import EMBEDDED, ORM, OURS, PLAIN

WAYS = {ORM: (BATCH, f"/pool{BATCH}"), PLAIN: (f"/plain{BATCH}", f"/pool/plain{BATCH}")}
EMAILS = [f"{name}@example.test" for name in ("mei", "ming", "sam", "jun")]


def rows(server, folder):
    emails = list(itertools.islice(itertools.cycle(EMAILS), CLIENTS))
    embedded, sessions, people = prepared(folder, emails)
    # With more clients than these, some are of one person.
    people = list(dict.fromkeys(people))
    site = server.moved(embedded, folder, "uploads")
    copy = server.create("uploads_peer", template="uploads")
    server.settle()
    like, bodies = made()
    peer = None
    try:
        site.for_measuring()
        embedded.for_measuring()
        peer = Peer(site, copy, folder / "peer", app="plain_uploads:app")
        peer.wait("/there")
        callers = [Caller(peer.port, session, HOST) for session in sessions]
        subjects = {
            name: Subject(name, one.processes, [sign_in(one, email) for email in emails],
                          one.database, people)
            for name, one in ((OURS, site), (EMBEDDED, embedded))} | {
            name: Subject(name, peer.processes, callers, copy, people) for name in WAYS}
        machine.quiet()
        paths = {name: faster(subjects[name], bodies, ways) for name, ways in WAYS.items()}
        for name in (OURS, EMBEDDED) * 2:
            subjects[name].round(bodies, BATCH, SHORT)
        results = {name: [] for name in subjects}
        for number in range(knobs.ROUNDS):
            for name, subject in in_turn(subjects.items(), number):
                results[name].append(subject.round(bodies, paths.get(name, BATCH)))
        sizes = {name: expect_samples(subject) for name, subject in subjects.items()}
        note = server.described()
    finally:
        if peer:
            peer.stop()
        embedded.stop()
        site.stop()
    return table(results, sizes, f"{len(like) / 1e6:.2f} MB a batch, {CLIENTS} clients; {note}")


def table(results, sizes, note):
    rates, used, middles = (
        {name: [getattr(one, of) for one in them] for name, them in results.items()}
        for of in ("rate", "used", "p50"))
    for name in results:
        print(f"{name}: {spread(rates[name])} batches a second, p50 {spread(middles[name], 'ms')},"
              f" {spread(used[name], 'ms')} of processors a batch without the server's,"
              f" {sizes[name]:,} bytes of samples a workout")

    def line(other, words, aim, least, said):
        found = ratio(rates[OURS], rates[other])
        return Row(
            f"batch upload of 20 workouts, {RIDE / 3600:g} h of samples each", words, found, aim,
            least and found.middle >= least,
            f"{short(statistics.median(rates[OURS]))} beside {short(statistics.median(rates[other]))}"
            f" a second; processors' time {ratio(used[OURS], used[other])}{said}",
            {name: {"batches_a_second": summary(rates[name]), "p50_ms": summary(middles[name]),
                    "processors_ms": summary(used[name]), "sample_bytes": sizes[name]}
             for name in (OURS, other)})

    return [
        line(ORM, f"FastAPI, Pydantic, SQLAlchemy ORM, psycopg, {knobs.WORKERS} workers", "≥ 6 times",
             6, f"; {note}"),
        line(PLAIN, "the same with psycopg alone", "", None, ""),
        line(EMBEDDED, "ours on SQLite", "", None, ""),
    ]
