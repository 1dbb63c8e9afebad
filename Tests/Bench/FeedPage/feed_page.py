"""The signed-in feed page beside the same page by FastAPI (ORM and Core), beside the same bytes from a
small C program and from nginx, and the API's list of the same posts; what all processes hold after it."""

import os
import re
import signal
import statistics
import subprocess
import sys

from shared import knobs, world
from shared.figures import Row, ratio, short, spread, summary
from shared.front import start_nginx
from shared.load import checked, measured, size
from shared.peer import Peer
from shared.processes import APART, by_name, megabytes, processor_seconds, still
from shared.rounds import in_turn
from shared.site import Site, fetch, signed

HERE = knobs.BENCH / "FeedPage"
OURS, API = "PairSpot, the feed page", "PairSpot, GET /api/v1/posts"
ORM, CORE = "FastAPI, SQLAlchemy ORM", "FastAPI, SQLAlchemy Core"
FRONT = "FastAPI with its nginx"
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
    # The whole session at once: nginx's workers would outlive a killed master, and libfcgi catches
    # SIGTERM in the C program.
    for process in processes:
        os.killpg(process.pid, signal.SIGKILL)


def same(page):
    """A page without what differs in each answer, and with one way to write a quotation mark."""
    text = re.sub(r'(name="(?:csrf_token|nonce)" value=")[^"]*', r"\1", page.decode())
    text = re.sub(r'(<time datetime="[^"]*">)[^<]*', r"\1", text)
    return text.replace("&#34;", "&quot;").split("\n")


def expect_same(ours, theirs, name):
    """The peer shows what we show, byte for byte, or there is no figure."""
    ours, theirs = same(ours), same(theirs)
    if ours != theirs:
        lines = [pair for pair in zip(ours, theirs) if pair[0] != pair[1]][:3]
        sys.exit(f"{name} has another page: {len(ours)} and {len(theirs)} lines; {lines}")


def better(peer, headers, path):
    """The faster of the peer's two ways to answer: at once, or in its pool of threads."""
    rates = {way: [] for way in (path, f"/pool{path}")}
    each = size(f"http://127.0.0.1:{peer.port}{path}", headers)
    for number in range(4):
        for way, found in in_turn(rates.items(), number):
            one = measured(way, f"http://127.0.0.1:{peer.port}{way}", headers,
                           seconds=min(2, knobs.SECONDS), each=each)
            # The first time is for getting warm.
            if number:
                found.append(one.rate)
    middles = {way: statistics.median(found) for way, found in rates.items()}
    chosen = max(middles, key=middles.get)
    print(", ".join(f"{way}: {short(middle)} a second" for way, middle in middles.items())
          + f"; measured: {chosen}")
    return chosen


def prepared(folder):
    """An instance with the posts, not running, and Mei's session."""
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
    peer, floor = None, []
    try:
        headers = signed(session)
        page = site.fetch("/", headers)
        posts = site.fetch("/api/v1/posts", headers)
        if page.count(b'data-testid="post"') != 20 or posts.count(b'"created_at"') != 20:
            sys.exit("the feed has not 20 posts")
        assets = re.search(rb'"(/assets/[^/"]+)/css', page)[1].decode()
        peer = Peer(site, site.database, folder / "feed-peer", assets)
        peer.wait(session)
        paths = {}
        for name, path in ((ORM, "/orm"), (CORE, "/core")):
            for way in (path, f"/pool{path}"):
                expect_same(page, fetch(peer.port, way, headers), way)
            paths[name] = better(peer, headers, path)
        # The ways that are not measured have left threads, connections and caches: its memory is that
        # of one that has not been tried with them.
        peer.stop()
        peer = Peer(site, site.database, folder / "feed-peer-measured", assets)
        peer.wait(session)
        floor_port, floor = start_floor(folder / "feed-floor", page)
        subjects = {
            OURS: (f"http://127.0.0.1:{site.port}/", headers, len(page)),
            ORM: (f"http://127.0.0.1:{peer.port}{paths[ORM]}", headers, len(page)),
            CORE: (f"http://127.0.0.1:{peer.port}{paths[CORE]}", headers, len(page)),
            C: (f"http://127.0.0.1:{floor_port}/c", [], len(page)),
            FILE: (f"http://127.0.0.1:{floor_port}/page.html", [], len(page)),
            API: (f"http://127.0.0.1:{site.port}/api/v1/posts", headers, len(posts)),
        }
        each = {name: checked(name, url, its_headers, folder, length)
                for name, (url, its_headers, length) in subjects.items()}
        whose = {OURS: site.processes(), ORM: peer.processes(), CORE: peer.processes()}
        rounds, costs = {name: [] for name in subjects}, {name: [] for name in whose}
        for number in range(knobs.ROUNDS):
            for name, (url, its_headers, _) in in_turn(subjects.items(), number):
                before = processor_seconds(whose.get(name, []))
                one = measured(name, url, its_headers, each=each[name])
                rounds[name].append(one)
                if name in whose:
                    used = processor_seconds(whose[name]) - before
                    costs[name].append(1000 * used / one.answers)
        # Those that are there after the load: what came during it counts as well.
        ours = still(whose[OURS], site.processes(), OURS)
        still(whose[ORM], peer.processes(), ORM)
        held = {name: {of: megabytes(pids, of) for of in ("Pss", "Pss_Anon")} for name, pids in (
            (OURS, ours), (ORM, peer.own()), (FRONT, peer.processes()))}
        print("MB:", by_name(ours), by_name(peer.processes()))
        return table(rounds, costs, held, len(page), len(posts))
    finally:
        stop_floor(floor)
        if peer:
            peer.stop()
        site.stop()


def table(rounds, costs, held, page, posts):
    rates = {name: [one.rate for one in them] for name, them in rounds.items()}
    slow = {name: [one.p99 for one in them] for name, them in rounds.items()}
    figures = {name: {"requests_a_second": summary(rates[name]), "p99_ms": summary(slow[name]),
                      "p50_ms": summary([one.p50 for one in them])}
               for name, them in rounds.items()}
    for name, them in costs.items():
        figures[name]["processors_ms"] = summary(them)
        print(f"{name}: {spread(them, 'ms')} of processors a page")
    for name, them in rounds.items():
        print(f"{name}: {spread(rates[name])} a second, p50"
              f" {spread([one.p50 for one in them], 'ms')}, p99 {spread(slow[name], 'ms')}")

    def beside(other):
        return {name: figures[name] for name in (OURS, other)}

    def line(other, words, aim, least):
        found = ratio(rates[OURS], rates[other])
        work = ""
        if other in costs:
            work = (f"; processors' time a page {short(statistics.median(costs[OURS]))} beside"
                    f" {short(statistics.median(costs[other]))} ms")
        return Row(
            f"signed-in feed page (20 posts, {page / 1000:.0f} KB)", words, found, aim,
            found.middle >= least, f"{short(statistics.median(rates[OURS]))} beside"
            f" {short(statistics.median(rates[other]))} a second{work}", beside(other))

    tails = ratio(slow[OURS], slow[ORM])
    memory, anonymous = (held[OURS][of] / held[ORM][of] for of in ("Pss", "Pss_Anon"))
    with_front = held[OURS]["Pss"] / held[FRONT]["Pss"]

    def three(of):
        return " beside ".join([f"{held[OURS][of]:.0f}", f"{held[ORM][of]:.0f}"]) \
            + f" ({held[FRONT][of]:.0f} with its nginx)"

    return [
        line(ORM, "FastAPI, SQLAlchemy ORM, Jinja2, 2 workers; the same page, byte for byte",
             "≥ 15 times", 15),
        Row("its p99", "the same", tails, "≤ 0.1", tails.middle <= 0.1,
            f"{short(statistics.median(slow[OURS]))} beside"
            f" {short(statistics.median(slow[ORM]))} ms", beside(ORM)),
        line(CORE, "the same with SQLAlchemy Core", "≥ 8 times", 8),
        line(C, "a C program, the same bytes from memory", "≥ 0.2", 0.2),
        Row("memory after the load, all our processes, nginx among them", "all of FastAPI's",
            short(memory), "≤ 0.33", memory <= 1 / 3,
            f"{three('Pss')} MB, {short(with_front)} beside those with its nginx; without mapped files"
            f" {three('Pss_Anon')}, {short(anonymous)}",
            {f"{name}, {of}_MB": size for name, them in held.items() for of, size in them.items()}),
        Row("GET /api/v1/posts", "our feed page, p50", ratio(
            [one.p50 for one in rounds[API]], [one.p50 for one in rounds[OURS]]), "", None,
            f"{posts / 1000:.0f} KB", beside(API)),
    ]
