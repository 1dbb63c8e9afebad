"""The signed-in feed page compared with the same page by FastAPI (ORM and Core) and by Go, with the same
bytes from a small C program and from nginx, and the API's list of the same posts; then the
memory of all processes, each side separately (`memory.py`)."""

import gzip
import os
import re
import signal
import statistics
import subprocess
import sys

from shared import knobs, machine, world
from shared.figures import Row, ratio, short, spread, summary
from shared.front import start_nginx
from shared.load import checked, measured, size
from shared.peer import GoPeer, Peer
from shared.processes import APART, processor_seconds, still
from shared.rounds import in_turn
from shared.site import Site, fetch, signed

from . import memory

HERE = knobs.BENCH / "FeedPage"
OURS, API = "PairSpot, the feed page", "PairSpot, GET /api/v1/posts"
ORM, CORE = "FastAPI, SQLAlchemy ORM", "FastAPI, SQLAlchemy Core"
GO = "Go, html/template"
FRONT = "FastAPI with its nginx"
# Differences of the two sides besides the measured ones.
UNLIKE = ("ours reads in transactions, the peer without; ours alone looks for messages, check-ins, alerts,"
          " memories and reports; both write a line a request")
C, FILE = "C with libfcgi, the same bytes from memory", "nginx, the same bytes as a file"


def start_floor(folder, page):
    """nginx with the page as a file, and in front of the C program."""
    folder.mkdir(parents=True)
    (folder / "page.html").write_bytes(page)
    subprocess.run(
        ["gcc", "-O2", "-o", folder / "same_bytes", HERE / "same_bytes.c", "-lfcgi", "-lpthread"],
        check=True)
    program = subprocess.Popen(
        [folder / "same_bytes", folder / "same.sock", folder / "page.html", str(knobs.THREADS)],
        **APART)
    port, nginx = start_nginx(folder, f"""
    location = /c {{ fastcgi_pass unix:{folder}/same.sock;
      fastcgi_param REQUEST_METHOD $request_method; fastcgi_param REQUEST_URI $request_uri; }}""")
    return port, [nginx, program]


def stop_floor(processes):
    # Kills the whole session at once: nginx's workers would outlive a killed master, and libfcgi
    # catches SIGTERM in the C program.
    for process in processes:
        os.killpg(process.pid, signal.SIGKILL)


def same(page):
    """A page without parts that differ in each answer, and with one notation of quotation marks."""
    text = re.sub(r'(name="(?:csrf_token|nonce)" value=")[^"]*', r"\1", page.decode())
    text = re.sub(r'(<time datetime="[^"]*">)[^<]*', r"\1", text)
    # Go writes a plus sign as an entity.
    return text.replace("&#34;", "&quot;").replace("&#43;", "+").split("\n")


def expect_same(ours, theirs, name):
    """The peer's page must equal ours, byte for byte, or there is no result."""
    ours, theirs = same(ours), same(theirs)
    if ours != theirs:
        lines = [pair for pair in zip(ours, theirs) if pair[0] != pair[1]][:3]
        sys.exit(f"{name} has another page: {len(ours)} and {len(theirs)} lines; {lines}")


def better(peer, headers, ways):
    """The fastest of the peer's ways to answer: directly, or in its thread pool."""
    rates = {way: [] for way in ways}
    each = size(f"http://127.0.0.1:{peer.port}{ways[0]}", headers)
    for number in range(4):
        for way, found in in_turn(rates.items(), number):
            one = measured(way, f"http://127.0.0.1:{peer.port}{way}", headers,
                           seconds=min(2, knobs.SECONDS), each=each)
            # The first round is a warm-up.
            if number:
                found.append(one.rate)
    middles = {way: statistics.median(found) for way, found in rates.items()}
    chosen = max(middles, key=middles.get)
    print(", ".join(f"{way}: {short(middle)} a second" for way, middle in middles.items())
          + f"; measured: {chosen}")
    return chosen


def prepared(folder):
    """A stopped instance with the posts, and Mei's session."""
    site = Site(folder / "feed/var").for_filling()
    try:
        session = site.sign_in()
    finally:
        site.stop()
    world.fill(site.database, knobs.USERS, knobs.POSTS)
    return site, session


def rows(folder):
    site, session = prepared(folder)
    site.for_measuring()
    peer, go, floor = None, None, []
    try:
        headers = signed(session)
        page = site.fetch("/", headers)
        posts = site.fetch("/api/v1/posts", headers)
        if page.count(b'data-testid="post"') != 20 or posts.count(b'"created_at"') != 20:
            sys.exit("the feed has not 20 posts")
        assets = re.search(rb'"(/assets/[^/"]+)/css', page)[1].decode()
        peer = Peer(site, site.database, folder / "feed-peer", assets)
        peer.wait("/core", headers)
        machine.quiet()
        paths = {}
        for name, path in ((ORM, "/orm"), (CORE, "/core")):
            ways = (path, f"/pool{path}")
            for way in ways:
                expect_same(page, fetch(peer.port, way, headers), way)
            paths[name] = better(peer, headers, ways)
        # The slower ways have left threads, connections and caches.
        peer.stop()
        peer = Peer(site, site.database, folder / "feed-peer-measured", assets)
        peer.wait("/core", headers)
        go = GoPeer(site, site.database, folder / "feed-go", assets)
        expect_same(page, go.wait("/go", headers), GO)
        floor_port, floor = start_floor(folder / "feed-floor", page)
        subjects = {
            OURS: (f"http://127.0.0.1:{site.port}/", headers, len(page)),
            ORM: (f"http://127.0.0.1:{peer.port}{paths[ORM]}", headers, len(page)),
            CORE: (f"http://127.0.0.1:{peer.port}{paths[CORE]}", headers, len(page)),
            GO: (f"http://127.0.0.1:{go.port}/go", headers, len(page)),
            C: (f"http://127.0.0.1:{floor_port}/c", [], len(page)),
            FILE: (f"http://127.0.0.1:{floor_port}/page.html", [], len(page)),
            API: (f"http://127.0.0.1:{site.port}/api/v1/posts", headers, len(posts)),
        }
        each = {name: checked(name, url, its_headers, folder, length)
                for name, (url, its_headers, length) in subjects.items()}
        whose = {OURS: site.processes(), ORM: peer.processes(), CORE: peer.processes(),
                 GO: go.processes()}
        rounds, costs = {name: [] for name in subjects}, {name: [] for name in whose}
        for number in range(knobs.ROUNDS):
            for name, (url, its_headers, _) in in_turn(subjects.items(), number):
                before = processor_seconds(whose.get(name, []))
                one = measured(name, url, its_headers, each=each[name])
                rounds[name].append(one)
                if name in whose:
                    used = processor_seconds(whose[name]) - before
                    costs[name].append(1000 * used / one.answers)
        still(whose[OURS], site.processes(), OURS)
        still(whose[ORM], peer.processes(), ORM)
    finally:
        stop_floor(floor)
        for other in (peer, go):
            if other:
                other.stop()
        site.stop()
    yield from table(rounds, costs, page, len(posts))
    yield memory_row(memory.samples({
        OURS: lambda: begin_ours(site, headers, each[OURS]),
        ORM: lambda: begin_peer(site, folder, assets, paths[ORM], headers, each[ORM])}))


def begin_ours(site, headers, each):
    site.for_measuring()
    return f"http://127.0.0.1:{site.port}/", headers, each, {OURS: site.processes}, site.stop


def begin_peer(site, folder, assets, path, headers, each):
    peer = Peer(site, site.database, folder / "feed-peer-held", assets)
    peer.wait(path, headers)
    return (f"http://127.0.0.1:{peer.port}{path}", headers, each,
            {ORM: peer.own, FRONT: peer.processes}, peer.stop)


def table(rounds, costs, page, posts):
    rates = {name: [one.rate for one in them] for name, them in rounds.items()}
    middles = {name: [one.p50 for one in them] for name, them in rounds.items()}
    slow = {name: [one.p99 for one in them] for name, them in rounds.items()}
    figures = {name: {"requests_a_second": summary(rates[name]), "p99_ms": summary(slow[name]),
                      "p50_ms": summary(middles[name])} for name in rounds}
    for name, them in costs.items():
        figures[name]["processors_ms"] = summary(them)
        print(f"{name}: {spread(them, 'ms')} of processors a page")
    for name in rounds:
        print(f"{name}: {spread(rates[name])} a second, p50 {spread(middles[name], 'ms')}, p99"
              f" {spread(slow[name], 'ms')}")

    def beside(other):
        return {name: figures[name] for name in (OURS, other)}

    def line(other, words, aim, least):
        found = ratio(rates[OURS], rates[other])
        work = ""
        if other in costs:
            work = (f"; processors' time a page {short(statistics.median(costs[OURS]))} beside"
                    f" {short(statistics.median(costs[other]))} ms; {UNLIKE}")
        return Row(
            f"signed-in feed page (20 posts, {len(page) / 1000:.0f} KB)", words, found, aim,
            least and found.middle >= least, f"{short(statistics.median(rates[OURS]))} beside"
            f" {short(statistics.median(rates[other]))} a second{work}", beside(other))

    tails = ratio(slow[OURS], slow[ORM])
    # The level of nginx.
    packed = len(gzip.compress(page, 5))
    return [
        Row("size of the feed page", "", f"{len(page) / 1000:.1f} KB", "≤ 30 KB", len(page) <= 30_000,
            f"{packed / 1000:.1f} KB compressed (≤ 6 KB)"),
        line(ORM, f"FastAPI, SQLAlchemy ORM, Jinja2, {knobs.WORKERS} workers; the same page, byte for"
             " byte", "≥ 12 times", 12),
        Row("its p99", "the same", tails, "≤ 0.1", tails.middle <= 0.1,
            f"{spread(slow[OURS])} beside {spread(slow[ORM])} ms; p50 {spread(middles[OURS])} beside"
            f" {spread(middles[ORM])} ms", beside(ORM)),
        line(CORE, "the same with SQLAlchemy Core", "≥ 7 times", 7),
        line(GO, "Go, database/sql, html/template; the same page, byte for byte", "", None),
        line(C, "a C program, the same bytes from memory; no log", "≥ 0.5", 0.5),
        line(FILE, "nginx, the same bytes as a file; no log", "", None),
        Row("GET /api/v1/posts", "our feed page, p50", ratio(middles[API], middles[OURS]), "≤ 0.6",
            statistics.median(middles[API]) <= 0.6 * statistics.median(middles[OURS]),
            f"{posts / 1000:.0f} KB", beside(API)),
    ]


def memory_row(held):
    whole, with_front = (ratio(held[OURS]["Pss"], held[whose]["Pss"]) for whose in (ORM, FRONT))
    anonymous = ratio(held[OURS]["Pss_Anon"], held[ORM]["Pss_Anon"])

    def three(kind):
        ours, theirs, front = (spread(held[whose][kind], digits=0) for whose in (OURS, ORM, FRONT))
        return f"{ours} beside {theirs}, with its nginx {front} MB"

    return Row(
        "memory after the load, all our processes, nginx among them",
        f"all of FastAPI's, {knobs.WORKERS} workers forked from one that has read the program; each"
        " side by itself", whole, "≤ 0.5", whole.middle <= 0.5,
        f"{three('Pss')}: {short(with_front.middle)}; without mapped files {three('Pss_Anon')}, {anonymous}"
        " without its nginx",
        {f"{whose}, {kind}_MB": summary(sizes)
         for whose, kinds in held.items() for kind, sizes in kinds.items()})
