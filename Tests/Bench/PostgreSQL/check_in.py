"""Check-ins on PostgreSQL, acknowledged after the disk has them: PairSpot's database, and a copy of it on
the same server for the peer."""

import itertools
import statistics

from CheckIn.check_in import SHORT, TRIES, faster, fdatasync_ms, forms, refusals, tapped
from shared import knobs, machine, world
from shared.figures import Row, ratio, short, spread, summary
from shared.peer import Peer
from shared.rounds import in_turn
from shared.site import Keys, Site, signed

from .feed import EMBEDDED, ORM, OURS, PLAIN

PATH = "/checkin"
WAYS = {ORM: (PATH, f"/pool{PATH}"),
        PLAIN: (f"/plain{PATH}", f"/pool/plain{PATH}", f"/async/plain{PATH}")}
# People for a second of a round.
MOST = {OURS: 6000, EMBEDDED: 6000, ORM: 1500, PLAIN: 4000}


def people():
    """The number of people that each database needs: of ours, with warm-ups, and of the peer's, with
    trials of its ways."""
    seconds = knobs.ROUNDS * knobs.SECONDS
    ours = MOST[OURS] * (seconds + 2 * SHORT)
    theirs = sum(MOST[name] * (seconds + (TRIES + 1) * len(ways) * SHORT)
                 for name, ways in WAYS.items())
    return max(ours, theirs)


def rows(server, folder):
    embedded = Site(folder / "check-in/var").for_filling()
    session = embedded.sign_in()
    embedded.stop()
    world.fill(embedded.database, knobs.USERS, 1000)
    lines = forms(Keys(embedded.data), world.watched(embedded.database, people()))
    site = server.moved(embedded, folder, "checkin")
    copy = server.create("checkin_peer", template="checkin")
    server.settle()
    peer = None
    try:
        site.for_measuring()
        embedded.for_measuring()
        peer = Peer(site, copy, folder / "peer")
        peer.wait("/core", signed(session))
        machine.quiet()
        databases = {OURS: site.database, EMBEDDED: embedded.database, ORM: copy, PLAIN: copy}
        ports = {OURS: site.port, EMBEDDED: embedded.port, ORM: peer.port, PLAIN: peer.port}
        rest = {database: iter(lines) for database in databases.values()}

        def tap(name, path=PATH, seconds=knobs.SECONDS):
            some = list(itertools.islice(rest[databases[name]], MOST[name] * seconds))
            return tapped(folder, f"http://127.0.0.1:{ports[name]}{path}", some, databases[name],
                          name, seconds)

        paths = {name: faster(lambda path: tap(name, path, SHORT), ways)
                 for name, ways in WAYS.items()}
        for name in (OURS, EMBEDDED) * 2:
            tap(name, seconds=SHORT)
        rounds, syncs = {name: [] for name in databases}, []
        for number in range(knobs.ROUNDS):
            syncs.append(statistics.median(fdatasync_ms(folder / "sync", over=True)))
            for name in in_turn(databases, number):
                rounds[name].append(tap(name, paths.get(name, PATH)))
        note = server.described()
    finally:
        if peer:
            peer.stop()
        embedded.stop()
        site.stop()
    return table(rounds, syncs, note)


def table(rounds, syncs, note):
    rates, middles, slow = ({name: [getattr(one, of) for one in them] for name, them in rounds.items()}
                            for of in ("right_rate", "p50", "p99"))
    refused = {name: refusals(them) for name, them in rounds.items()}
    figures = {name: {"check_ins_a_second": summary(rates[name]), "p50_ms": summary(middles[name]),
                      "p99_ms": summary(slow[name]), "refused": refused[name]} for name in rounds}
    for name in rounds:
        print(f"{name}: {spread(rates[name])} check-ins a second, p50 {spread(middles[name], 'ms')},"
              f" p99 {spread(slow[name], 'ms')}, {refused[name]} refused")

    def line(other, words, aim, least, said):
        found = ratio(rates[OURS], rates[other])
        # With refusals the others were not measured at the same work.
        met = None if refused[OURS] or refused[other] or not least else found.middle >= least
        return Row(
            "check-in, durable", words, found, aim, met,
            f"{short(statistics.median(rates[OURS]))} beside {short(statistics.median(rates[other]))}"
            f" a second; p50 {spread(middles[OURS])} beside {spread(middles[other])} ms, p99"
            f" {spread(slow[OURS])} beside {spread(slow[other])} ms; refused {refused[OURS]} beside"
            f" {refused[other]}{said}", {name: figures[name] for name in (OURS, other)})

    return [
        line(ORM, f"FastAPI, SQLAlchemy ORM, psycopg, {knobs.WORKERS} workers", "≥ 10 times", 10,
             f"; `fdatasync` {spread(syncs)} ms; ours does more (letters that wait, pauses, alerts);"
             f" {note}"),
        line(PLAIN, "the same with psycopg alone", "", None, ""),
        line(EMBEDDED, "ours on SQLite", "", None, ""),
    ]
