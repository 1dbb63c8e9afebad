"""Answers of nginx before a handler is called: headers, limits, refused bodies."""

import contextlib
import json
import os
import re
import socket
import ssl
import stat
import subprocess
import urllib.request
from pathlib import Path

import pytest

import pictures
from instance import CHECKOUT, PROGRAM, Instance, wait_until
from people import Visitor, picture_addresses

HEADERS = ("x-content-type-options", "referrer-policy", "content-security-policy", "x-request-id")


def connect(site, secure=False):
    connection = socket.create_connection(("127.0.0.1", site.port), timeout=20)
    if not secure:
        return connection
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(connection, server_hostname="localhost")


def head_of(connection):
    """The status and the headers of an answer, each name with all its values."""
    read = b""
    while b"\r\n\r\n" not in read:
        part = connection.recv(65536)
        assert part, read
        read += part
    first, *lines = read.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    headers = {}
    for line in lines:
        name, _, value = line.partition(": ")
        headers.setdefault(name.lower(), []).append(value)
    return int(first.split()[1]), headers


def ask(site, request, *lines, secure=False):
    with connect(site, secure) as connection:
        text = f"{request} HTTP/1.1\r\nHost: {site.host}\r\n" + "".join(f"{x}\r\n" for x in lines)
        connection.sendall(f"{text}\r\n".encode())
        return head_of(connection)


def asset(site):
    with urllib.request.urlopen(site.url + "/sign-in") as page:
        return re.search(r'"(/assets/[^"#]+\.css)"', page.read().decode())[1]


@pytest.mark.parametrize("request_line, status, lines", [
    ("GET /", 200, ()), ("GET /settings", 303, ()), ("GET /nothing", 404, ()),
    ("GET /api/v1/account", 401, ()), ("GET ASSET", 200, ()),
    ("GET /assets/0123abcd/js/base/swap.js", 200, ()), ("GET /css/all.css", 200, ()),
    ("GET /css/nothing.css", 404, ()), ("GET /icons/sprite.svg", 200, ()),
    ("GET /manifest.webmanifest", 200, ()), ("GET /sw.js", 200, ()), ("GET /%00", 400, ()),
    ("TRACE /", 405, ()), ("POST /sw.js", 404, ("Content-Length: 0",)),
    ("DELETE /css/all.css", 404, ()), ("POST /sign-in", 413, ("Content-Length: 9000000",)),
    ("GET /" + "a" * 40_000, 414, ()), ("GET /", 431, ("X-Long: " + "a" * 40_000,)),
    ("GET /", 431, tuple(f"X-{number}: x" for number in range(101))),
])
def test_every_answer_has_each_security_header_once(site, request_line, status, lines):
    answered, headers = ask(site, request_line.replace("ASSET", asset(site)), *lines)
    assert answered == status
    for name in HEADERS:
        assert len(headers.get(name, [])) == 1, (name, headers.get(name))
    assert headers["x-content-type-options"] == ["nosniff"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"][0]
    assert "strict-transport-security" not in headers


def test_a_long_query_of_a_page_for_members_leads_to_the_sign_in(site):
    status, headers = ask(site, "GET /search?q=" + "a" * 8_000)
    assert status == 303 and headers["location"] == ["/sign-in?next=/search&guest=1"]


# Bodies


LARGE = {
    "/posts": 250, "/album": 250, "/workouts/import": 250,
    "/admin/trainings/x/video": 512, "/admin/trainings/x/cover": 15,
    "/admin/trainings/x/captions": 3, "/settings/profile": 15, "/couples/x/edit": 15,
    "/api/v1/posts": 250, "/api/v1/photos": 60, "/api/v1/account/avatar": 15,
    "/api/v1/sessions": 8, "/api/v1/sessions/batch_upload": 8,
}


@pytest.mark.parametrize("path", LARGE)
def test_nothing_large_is_taken_of_somebody_unknown(site, path):
    announced = f"Content-Length: {LARGE[path] << 20}"
    for lines in [(announced,), ("Transfer-Encoding: chunked",)]:
        status, headers = ask(site, f"POST {path}", *lines)
        assert status in (303, 401, 403, 404), (path, lines)
        assert all(name in headers for name in HEADERS)
        if status == 303:
            assert headers["location"][0].startswith("/sign-in")
    status, _ = ask(site, f"POST {path}", "Content-Length: 536870912")
    assert status in (303, 401, 403, 404, 413)


@pytest.mark.parametrize("request_line", [
    "GET /posts/x", "HEAD /posts/x", "POST /posts/x/edit", "GET /posts", "DELETE /album",
    "GET /stories", "PATCH /stories", "GET /join/picture", "POST /api/v1/auth/login",
    "GET /api/v1/openapi.json", "GET /api/v1/sessions", "PATCH /api/v1/account/avatar"])
def test_a_body_of_unknown_length_ends_at_1_mb(site, request_line):
    """For all clients, regardless of the path's limit for signed-in users."""
    with connect(site) as connection:
        connection.settimeout(5)
        connection.sendall(
            f"{request_line} HTTP/1.1\r\nHost: {site.host}\r\n"
            "Transfer-Encoding: chunked\r\n\r\n".encode())
        chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        try:
            for _ in range(32):
                connection.sendall(chunk)
        except OSError:
            return
        status, _ = head_of(connection)
    # Incomplete, but answered.
    assert 300 <= status < 500


def test_what_is_larger_than_1_mb_is_taken_of_a_member(mei):
    answer = mei.write("no picture", files=[("a.png", b"x" * 3_000_000)])
    assert answer.status == 422 and "no picture" in answer.text


# Limits


def test_one_person_has_ten_streams_at_most(site):
    person = Visitor(site)
    answer = person.ask(
        "POST", "/api/v1/auth/guest", json.dumps({"display_name": "Gia"}).encode(),
        {"Content-Type": "application/json"})
    assert answer.status in (200, 201), answer.text
    bearer = {"Authorization": "Bearer " + json.loads(answer.text)["access_token"]}
    answer = person.ask(
        "POST", "/api/v1/groups", json.dumps({"name": "Hills"}).encode(),
        {"Content-Type": "application/json"} | bearer)
    assert answer.status == 201, answer.text
    found = json.loads(answer.text)
    group = found.get("id") or found["group"]["id"]
    text = (f"GET /api/v1/groups/{group}/events HTTP/1.1\r\nHost: {site.host}\r\n"
            f"Accept: text/event-stream\r\nAuthorization: {bearer['Authorization']}\r\n\r\n")
    with contextlib.ExitStack() as held:
        statuses = []
        for _ in range(11):
            connection = held.enter_context(connect(site))
            connection.sendall(text.encode())
            statuses.append(head_of(connection)[0])
        assert statuses == [200] * 10 + [429]


def test_one_address_has_200_requests_at_once_at_most(own_site):
    site = own_site(PAIRSPOT_TRUSTED_PROXIES="127.0.0.1")
    half = (f"POST /sign-in HTTP/1.1\r\nHost: {site.host}\r\nContent-Length: 100\r\n"
            "X-Forwarded-For: 203.0.113.7\r\n\r\n")
    with contextlib.ExitStack() as held:
        # Some more: health checks from the same address may use some of the limit.
        for _ in range(210):
            held.enter_context(connect(site)).sendall(half.encode())
        wait_until(
            lambda: ask(site, "GET /about", "X-Forwarded-For: 203.0.113.7")[0] == 429, 10,
            "the limit of an address")
        assert ask(site, "GET /about", "X-Forwarded-For: 203.0.113.8")[0] == 200


def test_of_people_unknown_six_photos_come_in_at_once_at_most(own_site):
    """From any number of networks: together they fill less than half a gigabyte."""
    site = own_site(PAIRSPOT_TRUSTED_PROXIES="127.0.0.1")
    half = (f"POST /stories HTTP/1.1\r\nHost: {site.host}\r\n"
            f"Content-Length: {60 << 20}\r\nX-Forwarded-For: 203.0.113.")
    another = ("Content-Length: 0", "X-Forwarded-For: 203.0.113.99")
    with contextlib.ExitStack() as held:
        for number in range(6):
            held.enter_context(connect(site)).sendall(f"{half}{number}\r\n\r\n".encode())
        wait_until(lambda: ask(site, "POST /stories", *another)[0] == 429, 10, "the limit")
        assert ask(site, "GET /stories", "X-Forwarded-For: 203.0.113.99")[0] == 200
    wait_until(lambda: ask(site, "POST /stories", *another)[0] != 429, 10, "the places")


# TLS, files, users


class Secure(Instance):
    def is_healthy(self):
        try:
            return ask(self, "GET /healthz", secure=True)[0] == 200
        except (AssertionError, OSError):
            return False


def test_https_stays_https_and_uses_none_but_todays_ciphers(tmp_path):
    site = Secure(tmp_path, PAIRSPOT_TLS="1").start()
    try:
        for request in ("GET /", "GET /settings", "GET /css/all.css", "GET /nothing", "TRACE /",
                        "GET /%00", "GET /api/v1/account"):
            _, headers = ask(site, request, secure=True)
            assert headers["strict-transport-security"] == [
                "max-age=31536000; includeSubDomains"], request

        def shakes_hands(*options):
            return subprocess.run(
                ["openssl", "s_client", "-connect", f"127.0.0.1:{site.port}", *options],
                stdin=subprocess.DEVNULL, capture_output=True, timeout=20).returncode == 0
        assert shakes_hands("-tls1_3")
        for cipher in ("ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"):
            assert shakes_hands("-tls1_2", "-cipher", cipher)
        for cipher in ("ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-CAMELLIA128-SHA256"):
            assert not shakes_hands("-tls1_2", "-cipher", cipher)
    finally:
        site.stop()


@pytest.mark.sqlite("it looks at the database's file, too")
def test_files_are_for_their_owner_whatever_the_umask(tmp_path):
    site = Instance(tmp_path)
    site.data.mkdir(mode=0o755)
    site.data.chmod(0o755)

    def run(command):
        return subprocess.run(
            [str(site.program), command], env=site.environment, capture_output=True, text=True,
            umask=0o022, timeout=60)
    assert run("migrate").returncode == 0
    made = [path for path in site.data.rglob("*") if not path.is_symlink()]
    assert any(path.name == "pairspot.sqlite" for path in made)
    assert [path for path in made if stat.S_IMODE(path.stat().st_mode) & 0o077] == []
    doctor = run("doctor")
    assert doctor.returncode != 0
    assert f"{site.data} is accessible to other users" in doctor.stdout


@pytest.mark.sqlite("it asks for the owner of the database's file")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root starts something as another user")
def test_it_starts_as_a_user_who_does_not_own_the_program(tmp_path):
    user = 65534
    for folder in [tmp_path, *tmp_path.parents]:
        if not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)
    site = Instance(
        tmp_path, PAIRSPOT_ENV="production", PAIRSPOT_BASE_URL="https://pairspot.test",
        PAIRSPOT_RATE_LIMITS="on", PAIRSPOT_MAIL="smtp", SMTP_HOST="127.0.0.1",
        FROM_EMAIL="home@pairspot.test")
    site.data.mkdir(mode=0o700)
    os.chown(site.data, user, user)
    with open(site.log, "ab") as log:
        site.process = subprocess.Popen(
            ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups",
             str(site.program), "serve"],
            env=site.environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
            start_new_session=True)
    try:
        wait_until(
            lambda: "PairSpot is running at https://pairspot.test" in site.log.read_text(), 60,
            "the start", site.check_running)
        assert Path(site.data / "pairspot.sqlite").stat().st_uid == user
        assert (CHECKOUT / "public").stat().st_uid != user
    finally:
        site.stop()


def test_a_plain_cgi_sends_a_picture_itself_and_logs_the_request(site, mei, visitor):
    link = mei.write("public", files=[("a.png", pictures.png_bytes())]).made
    address = picture_addresses(visitor.get(link).text)[0]
    log = site.data / "logs/requests.log"
    environment = {
        "PATH": f"{PROGRAM.parent}:/usr/bin:/bin", "PAIRSPOT_ENV": "development",
        "PAIRSPOT_DATA": str(site.data), "PAIRSPOT_PORT": str(site.port),
        "GATEWAY_INTERFACE": "CGI/1.1", "REQUEST_METHOD": "GET", "REQUEST_URI": address,
        "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": site.host,
        "REQUEST_ID": 'odd"id',
    } | site.database_setting
    run = subprocess.run(
        [str(CHECKOUT / "cgi-bin/pairspot.fcgi")], env=environment, capture_output=True,
        stdin=subprocess.DEVNULL, timeout=30)
    head, _, body = run.stdout.partition(b"\r\n\r\n")
    assert head.startswith(b"Status: 200"), run
    assert b"accel" not in head.lower() and b"protected" not in head
    assert body == visitor.get(address).body
    ids = [json.loads(line)["id"] for line in log.read_text().splitlines()]
    assert 'odd"id' in ids
