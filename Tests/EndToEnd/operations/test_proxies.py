"""The proxies of docs/operator/behind-a-proxy.md in front of a running instance, with the
configuration that the page prints."""

import http.client
import io
import json
import os
import re
import socket
import ssl
import subprocess
import textwrap
import threading
import time

import pytest
from PIL import Image

from instance import CHECKOUT, Instance, free_port, wait_until
from people import Answer, Visitor

PAGE = CHECKOUT / "docs/operator/behind-a-proxy.md"
HOST = "pairspot.example.com"
MODULES = [
    "mpm_event", "authz_core", "alias", "ssl", "socache_shmcb", "headers", "proxy", "proxy_http",
    "reqtimeout"]


def example(name):
    """The first block of code in a section of the page."""
    section = re.search(rf"^## {name}\n(.*?)(?=^## )", PAGE.read_text(), re.M | re.S)[1]
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", section, re.M)
    return textwrap.dedent(max(blocks, key=len))


class Proxy:
    """A proxy with an example of the page, on ports, an instance and a certificate of its own."""

    def __init__(self, kind, folder, site):
        self.site, self.folder = site, folder
        # As a visitor knows it.
        self.host, self.url = HOST, f"https://{HOST}"
        self.port, self.http_port = free_port(), free_port()
        certificate, key = folder / "certificate.pem", folder / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
             "-subj", f"/CN={HOST}", "-keyout", key, "-out", certificate],
            check=True, capture_output=True)
        text = example(kind)
        for old, new in (
                (f"/etc/ssl/{HOST}.pem", certificate), (f"/etc/ssl/private/{HOST}.key", key),
                ("http://127.0.0.1:8080", f"http://127.0.0.1:{site.port}"),
                ("listen 443", f"listen 127.0.0.1:{self.port}"),
                ("listen 80", f"listen 127.0.0.1:{self.http_port}"),
                ("*:443", f"127.0.0.1:{self.port}"), ("*:80", f"127.0.0.1:{self.http_port}")):
            text = text.replace(old, str(new))
        self.log = folder / "proxy.log"
        settings = folder / "proxy.conf"
        command = {"nginx": self.nginx, "Apache": self.apache}[kind](text, settings)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        wait_until(self.listens, 20, f"{kind}", self.check_running)

    def nginx(self, text, settings):
        folders = "".join(
            f"{name}_temp_path {self.folder}/{name};\n"
            for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        settings.write_text(
            f"user root;\npid {self.folder}/pid;\ndaemon off;\nerror_log stderr;\n"
            f"events {{}}\nhttp {{\naccess_log off;\n{folders}{text}}}\n")
        return ["/usr/sbin/nginx", "-p", str(self.folder), "-c", str(settings)]

    def apache(self, text, settings):
        modules = "".join(
            f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n"
            for name in MODULES)
        settings.write_text(
            f"ServerRoot {self.folder}\nDefaultRuntimeDir {self.folder}\n"
            f"PidFile {self.folder}/pid\nServerName {HOST}\n{modules}"
            f"User www-data\nGroup www-data\nErrorLog /dev/stderr\n"
            f"Listen 127.0.0.1:{self.port}\nListen 127.0.0.1:{self.http_port}\n{text}")
        return ["/usr/sbin/apache2", "-f", str(settings), "-DFOREGROUND"]

    def check_running(self):
        assert self.process.poll() is None, self.log.read_text()

    def listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)

    def demo_password(self):
        return self.site.demo_password()

    def connection(self, source="127.0.0.1"):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=60, context=context, source_address=(source, 0))


class ProxyVisitor(Visitor):
    """A visitor over https, from an address of their own."""

    def __init__(self, proxy, source="127.0.0.1"):
        super().__init__(proxy)
        self.source = source

    def connected(self, method, path, body, headers):
        connection = self.site.connection(self.source)
        cookies = "; ".join(f"{name}={value.value}" for name, value in self.cookies.items())
        own = {"Host": HOST, "Accept-Language": "en"} | ({"Cookie": cookies} if cookies else {})
        connection.request(method, path, body, own | headers)
        return connection

    def ask(self, method, path, body, headers):
        connection = self.connected(method, path, body, headers)
        try:
            answer = Answer(connection.getresponse())
        finally:
            connection.close()
        for line in answer.all("Set-Cookie"):
            self.cookies.load(line)
        return answer


@pytest.fixture(scope="module", params=["nginx", "Apache"])
def proxy(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    site = Instance(
        folder, PAIRSPOT_DEMO="1", PAIRSPOT_BASE_URL=f"https://{HOST}",
        PAIRSPOT_TRUSTED_PROXIES="127.0.0.1,::1").start()
    try:
        running = Proxy(request.param, folder, site)
        yield running
        running.stop()
    finally:
        site.stop()


def test_pages_are_served_over_https_and_http_leads_there(proxy):
    visitor = ProxyVisitor(proxy)
    page = visitor.get("/about")
    assert page.status == 200 and "<html" in page.text
    assert page.all("Strict-Transport-Security") and len(page.all("Content-Security-Policy")) == 1
    assert visitor.get("/healthz").status == 200
    connection = http.client.HTTPConnection("127.0.0.1", proxy.http_port, timeout=20)
    connection.request("GET", "/about?a=b", headers={"Host": HOST})
    answer = connection.getresponse()
    assert answer.status in (301, 308)
    assert answer.headers["Location"] == f"https://{HOST}/about?a=b"


def test_the_cookies_of_a_sign_in_are_secure(proxy):
    visitor = ProxyVisitor(proxy)
    fields = {
        "csrf_token": visitor.token("/sign-in"), "email": "mei@example.test",
        "password": proxy.demo_password(), "next": "/"}
    answer = visitor.post("/sign-in", fields)
    assert answer.status == 303, answer.text
    made = answer.all("Set-Cookie")
    assert any(line.startswith("__Host-") for line in made), made
    assert all("; Secure" in line for line in made), made
    assert visitor.get("/settings").status == 200


def test_the_address_of_the_client_is_believed_and_one_that_it_claims_is_not(proxy):
    log = proxy.site.data / "logs/security.log"
    for source, claims in (
            ("127.0.0.2", {}), ("127.0.0.2", {"X-Forwarded-For": "192.0.2.7"}), ("127.0.0.3", {})):
        visitor = ProxyVisitor(proxy, source)
        fields = {
            "csrf_token": visitor.token("/sign-in"), "email": "nobody@example.test",
            "password": "not the right one", "next": "/"}
        assert visitor.post("/sign-in", fields, **claims).status == 422
    seen = [json.loads(line) for line in log.read_text().splitlines()]
    addresses = [line["address"] for line in seen if line["event"] == "sign_in_failed"][-3:]
    assert addresses[0] == addresses[1] != addresses[2], addresses
    # The machine itself may read them, but not through the proxy.
    assert ProxyVisitor(proxy).get("/metrics").status == 404


def test_a_photo_of_30_mb_arrives(proxy):
    visitor = ProxyVisitor(proxy).sign_in("mei@example.test")
    file = io.BytesIO()
    Image.frombytes("RGB", (3200, 3200), os.urandom(3200 * 3200 * 3)).save(
        file, "PNG", compress_level=0)
    assert 29 << 20 < file.tell() <= 30 << 20
    fields = visitor.get("/album").form("/album")
    answer = visitor.post("/album", fields, [("file", "large.png", file.getvalue())])
    assert answer.status == 303, answer.text
    assert visitor.get(answer.location).status == 200


@pytest.mark.parametrize("path, size", [("/sign-in", 9_000_000), ("/album", 600 << 20)])
def test_a_body_beyond_the_limits_is_refused(proxy, path, size, tmp_path):
    body = tmp_path / "body"
    with open(body, "wb") as file:
        file.truncate(size)
    # Apache reads a refused body to its end before it answers, nginx answers at once.
    # curl reads while it sends; a TLS socket of Python must not be used by two threads.
    answer = subprocess.run(
        ["curl", "--silent", "--show-error", "--insecure", "--http1.1", "--max-time", "60",
         "--connect-to", f"{HOST}:443:127.0.0.1:{proxy.port}", "--request", "POST",
         "--header", "Content-Type: application/x-www-form-urlencoded", "--header", "Expect:",
         "--upload-file", str(body), "--output", str(tmp_path / "page"),
         "--write-out", "%{http_code}", f"https://{HOST}{path}"],
        capture_output=True, text=True)
    assert answer.stdout == "413", answer


def test_live_updates_of_a_group_arrive_within_two_seconds(proxy):
    leader = ProxyVisitor(proxy).sign_in("mei@example.test")
    made = leader.post("/groups", {"csrf_token": leader.token("/groups"), "name": "Walk"})
    assert made.status == 303, made.text
    group = re.search("[0-9a-f-]{36}", made.location)[0]
    connection = leader.connected(
        "GET", f"/api/v1/groups/{group}/events", None, {"Accept": "text/event-stream"})
    stream = connection.sock
    answer = connection.getresponse()
    assert answer.status == 200
    heard, times = [], []

    def listen():
        try:
            while part := answer.read1():
                heard.append(part)
                times.append(time.monotonic())
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            # Closed by the test.
            pass

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    # What there was before.
    time.sleep(1)
    before = len(heard)
    begin = time.monotonic()
    called = leader.post(
        f"/groups/{group}/commands",
        {"csrf_token": leader.token(f"/groups/{group}"), "kind": "gather"})
    assert called.status == 303, called.text
    wait_until(lambda: len(heard) > before, 5, "an event")
    assert times[before] - begin < 2
    assert b"data:" in b"".join(heard[before:])
    # Closing waits for the listener, which waits for the next event.
    stream.shutdown(socket.SHUT_RDWR)
    listener.join(10)
    assert not listener.is_alive()
    connection.close()
