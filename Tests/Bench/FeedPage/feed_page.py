"""The signed-in feed page beside the same bytes from nginx and from a small C program, and the API's
list of the same posts beside the page.

Starts an instance of its own on loopback, fills it with POSTS posts (100,000), signs in, and
measures in interleaved rounds with wrk. Prints medians and ratios; judges nothing.
"""

import os
import pathlib
import re
import secrets
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
POSTS = int(os.environ.get("POSTS", "100000"))
COUPLES = int(os.environ.get("COUPLES", "1000"))
ROUNDS = int(os.environ.get("ROUNDS", "5"))
SECONDS = int(os.environ.get("SECONDS", "5"))
THREADS = 4
HOST = "pairspot.example"
# Children that outlive us by accident must not hold on to our output: who waits for its end
# would wait for ever.
APART = dict(
    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    start_new_session=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_pairspot(data, port, **more):
    environment = dict(
        PATH=os.environ["PATH"], PAIRSPOT_SHARE=str(ROOT), PAIRSPOT_DATA=str(data),
        PAIRSPOT_PORT=str(port), PAIRSPOT_THREADS=str(THREADS), **more)
    command = [os.environ.get("PROGRAM", ROOT / ".build/release/pairspot"), "serve"]
    if more["PAIRSPOT_ENV"] == "production" and os.geteuid() == 0:
        # It refuses to be root in production.
        subprocess.run(["chown", "-R", "nobody", data.parent], check=True)
        command[:0] = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    host = HOST if more["PAIRSPOT_ENV"] == "production" else f"127.0.0.1:{port}"
    process = subprocess.Popen(command, env=environment, **APART)
    for _ in range(100):
        try:
            urllib.request.urlopen(urllib.request.Request(
                f"http://127.0.0.1:{port}/about", headers={"Host": host}))
            return process
        except OSError:
            time.sleep(0.1)
    sys.exit("the instance did not start")


def stop(process):
    process.terminate()
    process.wait(30)


def start_for_filling(data, port):
    return start_pairspot(
        data, port, PAIRSPOT_ENV="development", PAIRSPOT_DEMO="1", PAIRSPOT_RATE_LIMITS="off")


def start_for_measuring(data, port):
    """As on the open net: nothing that only development does counts."""
    return start_pairspot(
        data, port, PAIRSPOT_ENV="production", PAIRSPOT_BASE_URL=f"https://{HOST}",
        SMTP_HOST="127.0.0.1", FROM_EMAIL="pairspot@pairspot.example")


def fill(data):
    database = sqlite3.connect(data / "pairspot.sqlite")
    now = int(time.time() * 1000)
    words = "We got lost twice and found the good dumplings the second time. 路上的小店都还开着。"
    couples = [secrets.token_bytes(16) for _ in range(COUPLES)]
    people = []
    with database:
        for number, couple in enumerate(couples):
            database.execute(
                "INSERT INTO couples (id, name, anniversary, status, created_at)"
                " VALUES (?, ?, ?, 'active', ?)", (couple, f"Couple {number}", 19000, now))
            for side in (1, 2):
                person = secrets.token_bytes(16)
                people.append((person, couple))
                database.execute(
                    "INSERT INTO users (id, role, display_name, couple_id, couple_side,"
                    " terms_version, terms_accepted_at, created_at)"
                    " VALUES (?, 2, ?, ?, ?, 'x', ?, ?)",
                    (person, f"Person {number}.{side}", couple, side, now, now))
                database.execute(
                    "INSERT INTO couple_members (couple_id, user_id, joined_at) VALUES (?, ?, ?)",
                    (couple, person, now))
        for number in range(POSTS):
            person, couple = people[number % len(people)]
            created = now - (POSTS - number) * 1000 - 3_600_000
            post = created.to_bytes(6, "big") + secrets.token_bytes(10)
            database.execute(
                "INSERT INTO posts (id, couple_id, author_id, content, visibility, created_at)"
                " VALUES (?, ?, ?, ?, 'public', ?)", (post, couple, person, words, created))
            if number % 3 == 0:
                database.execute(
                    "INSERT INTO post_images (id, post_id, position, extension, width, height,"
                    " has_webp, bytes, description) VALUES (?, ?, 1, 'jpg', 1200, 900, 1, 1, 'x')",
                    (secrets.token_bytes(16), post))
                database.execute("UPDATE posts SET image_count = 1 WHERE id = ?", (post,))
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def sign_in(data, port, email="mei@example.test"):
    jar = {}

    def ask(path, fields=None):
        body = urllib.parse.urlencode(fields).encode() if fields else None
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body)
        request.add_header("Cookie", "; ".join(f"{name}={value}" for name, value in jar.items()))
        opener = urllib.request.build_opener(NoRedirect())
        try:
            answer = opener.open(request)
        except urllib.error.HTTPError as error:
            answer = error
        for header in answer.headers.get_all("Set-Cookie") or []:
            name, value = header.split(";")[0].split("=", 1)
            jar[name] = value
        return answer.read()

    class NoRedirect(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *unused):
            return None

    token = re.search(rb'name="csrf_token" value="([^"]+)"', ask("/sign-in"))[1].decode()
    password = (data / "secrets/demo").read_text()
    ask("/sign-in", dict(csrf_token=token, email=email, password=password))
    ask("/")
    page = ask("/")
    return jar[f"session_{port}"], page


def fetch(port, path, headers):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}")
    for header in headers:
        request.add_header(*header.split(": ", 1))
    return urllib.request.urlopen(request).read()


def start_floor(folder, page):
    """nginx with the page as a file, and the C program behind a second address."""
    (folder / "page.html").write_bytes(page)
    subprocess.run(
        ["gcc", "-O2", "-o", folder / "same_bytes", HERE / "same_bytes.c", "-lfcgi", "-lpthread"],
        check=True)
    program = subprocess.Popen(
        [folder / "same_bytes", folder / "same.sock", folder / "page.html", str(THREADS)],
        **APART)
    port = free_port()
    temporary = "\n".join(
        f"{kind}_temp_path {folder}/{kind};"
        for kind in ("client_body", "fastcgi", "proxy", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(f"""
user root; daemon off; worker_processes 2; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{ access_log off; {temporary} sendfile on; default_type text/html;
  server {{ listen 127.0.0.1:{port}; root {folder};
    location = /c {{ fastcgi_pass unix:{folder}/same.sock; fastcgi_keep_conn off;
      fastcgi_buffer_size 16k; fastcgi_buffers 16 16k;
      fastcgi_param REQUEST_METHOD $request_method; fastcgi_param REQUEST_URI $request_uri; }} }} }}
""")
    nginx = subprocess.Popen(["/usr/sbin/nginx", "-p", folder, "-c", folder / "nginx.conf"], **APART)
    time.sleep(1)
    return port, [nginx, program]


def load(url, headers):
    command = ["wrk", "-t2", "-c32", f"-d{SECONDS}s", "--latency", url]
    for header in headers:
        command[1:1] = ["-H", header]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in out:
        sys.exit(out)

    def milliseconds(percent):
        value, unit = re.search(rf"{percent}%\s+([\d.]+)(us|ms|s)", out).groups()
        return float(value) * dict(us=0.001, ms=1, s=1000)[unit]

    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1])
    return rate, milliseconds(50), milliseconds(99)


def memory(data):
    """Resident MB of this instance's processes, by their subcommand; pages that several share
    count in each."""
    mark, found = f"PAIRSPOT_DATA={data}".encode(), dict.fromkeys(("handlers", "worker"), 0)
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().decode().split("\0")
            if mark not in (folder / "environ").read_bytes().split(b"\0"):
                continue
            resident = re.search(r"VmRSS:\s+(\d+)", (folder / "status").read_text())
        except OSError:
            continue
        if resident and len(words) > 1 and words[1] in found:
            found[words[1]] += int(resident[1]) / 1024
    return found


def main():
    with tempfile.TemporaryDirectory(prefix="pairspot-bench-") as folder:
        folder = pathlib.Path(folder)
        data, port = folder / "var", free_port()
        pairspot = start_for_filling(data, port)
        others = []
        try:
            fill(data)
            session, page = sign_in(data, port)
            stop(pairspot)
            pairspot = start_for_measuring(data, port)
            headers = [f"Host: {HOST}", f"Cookie: __Host-session={session}"]
            posts = fetch(port, "/api/v1/posts", headers)
            if posts.count(b'"created_at"') != 20:
                sys.exit("the API's list has not 20 posts")
            if page.count(b'data-testid="post"') != 20:
                sys.exit("the feed page has not 20 posts")
            floor, others = start_floor(folder, page)
            subjects = {
                "nginx, the same bytes as a file": (f"http://127.0.0.1:{floor}/page.html", []),
                "C with libfcgi, the same bytes from memory": (f"http://127.0.0.1:{floor}/c", []),
                "PairSpot, the feed page": (f"http://127.0.0.1:{port}/", headers),
                "PairSpot, GET /api/v1/posts": (f"http://127.0.0.1:{port}/api/v1/posts", headers),
            }
            results = {name: [] for name in subjects}
            for _ in range(ROUNDS):
                for name, (url, its_headers) in subjects.items():
                    results[name].append(load(url, its_headers))
            print(f"{len(page)} bytes, by the API {len(posts)}, {POSTS} posts, {ROUNDS} rounds of {SECONDS} s, wrk -t2 -c32")
            rates, middles = [], []
            for name, rounds in results.items():
                rate, middle, slow = (statistics.median(values) for values in zip(*rounds))
                spread = f"{min(r[0] for r in rounds):.0f}–{max(r[0] for r in rounds):.0f}"
                rates.append(rate)
                middles.append(middle)
                print(f"{name}: {rate:.0f} req/s ({spread}), p50 {middle:.2f} ms, p99 {slow:.2f} ms")
            file, c_program, ours, _ = rates
            print(f"PairSpot / C: {ours / c_program:.2f}; PairSpot / file: {ours / file:.2f}")
            print(f"API / page, p50: {middles[3] / middles[2]:.2f}")
            print("resident after the load:", {k: f"{v:.0f} MB" for k, v in memory(data).items()})
        finally:
            # The whole session at once: nginx's workers would outlive a killed master, and
            # libfcgi catches SIGTERM in the C program.
            for process in others:
                os.killpg(process.pid, signal.SIGKILL)
            stop(pairspot)


if __name__ == "__main__":
    main()
