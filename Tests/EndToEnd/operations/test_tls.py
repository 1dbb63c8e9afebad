"""https by the instance itself: files of the operator, and an authority that speaks ACME."""

import contextlib
import http.client
import json
import shutil
import socket
import ssl
import subprocess
import threading

import pytest
from instance import Instance, free_port, wait_until

HOST = "pairspot.test"


class PublicInstance(Instance):
    """An instance that serves https on a host of its own, and a redirect."""

    def __init__(self, folder, **variables):
        self.http_port = free_port()
        super().__init__(folder, **variables)
        self.environment |= {
            "PAIRSPOT_BASE_URL": f"https://{HOST}:{self.port}", "PAIRSPOT_LISTEN": "127.0.0.1",
            "PAIRSPOT_HTTP_PORT": str(self.http_port)}
        self.host = f"{HOST}:{self.port}"

    def connection(self):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=10, context=context)
        connection.connect()
        return connection

    def certificate(self):
        """The served certificate, in DER."""
        connection = self.connection()
        try:
            return connection.sock.getpeercert(binary_form=True)
        finally:
            connection.close()

    def get(self, path, connection=None):
        connection = connection or self.connection()
        connection.request("GET", path, headers={"Host": self.host})
        answer = connection.getresponse()
        return answer, answer.read()

    def is_healthy(self):
        """Whether pages are answered: /healthz is red until the certificate is right."""
        try:
            return self.get("/about")[0].status == 200
        except OSError:
            return False

    def run(self, *command):
        return subprocess.run(
            [str(self.program), *command], env=self.environment, capture_output=True, text=True,
            timeout=120)

    def plain(self, request, *lines, host="evil.test"):
        """The head and body of an answer on plain http."""
        with socket.create_connection(("127.0.0.1", self.http_port), timeout=10) as connection:
            head = f"{request} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
            connection.sendall((head + "".join(f"{x}\r\n" for x in lines) + "\r\n").encode())
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            return answer, answer.read()


def make_certificate(folder, name, host=HOST):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "90", "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}",
         "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem"],
        check=True, capture_output=True)


def der(path):
    return ssl.PEM_cert_to_DER_cert(path.read_text())


@pytest.fixture
def files(tmp_path):
    for name in ("first", "second"):
        make_certificate(tmp_path, name)
    for end in ("pem", "key"):
        shutil.copy(tmp_path / f"first.{end}", tmp_path / f"current.{end}")
    return tmp_path


@pytest.fixture
def public(files):
    site = PublicInstance(
        files, PAIRSPOT_TLS="files", PAIRSPOT_TLS_CERTIFICATE=str(files / "current.pem"),
        PAIRSPOT_TLS_KEY=str(files / "current.key")).start()
    yield site
    site.stop()


def test_a_newer_certificate_is_served_without_interrupting_anyone(public, files):
    assert public.certificate() == der(files / "first.pem")
    kept = public.connection()
    kept.request("GET", "/about", headers={"Host": public.host})
    assert kept.getresponse().read()
    # Files that do not fit together change nothing.
    shutil.copy(files / "second.pem", files / "current.pem")
    refused = public.run("certificate", "install")
    assert refused.returncode == 1
    assert "the key belongs to another certificate" in refused.stderr
    assert public.certificate() == der(files / "first.pem")
    shutil.copy(files / "second.key", files / "current.key")
    installed = public.run("certificate", "install")
    assert installed.returncode == 0, installed.stderr
    assert "valid until" in installed.stdout and "reject" not in installed.stdout
    assert public.certificate() == der(files / "second.pem")
    answer, _ = public.get("/about", kept)
    assert answer.status == 200, "the open connection goes on"


def test_files_that_do_not_fit_keep_it_from_starting(files):
    shutil.copy(files / "second.key", files / "current.key")
    site = PublicInstance(
        files, PAIRSPOT_TLS="files", PAIRSPOT_TLS_CERTIFICATE=str(files / "current.pem"),
        PAIRSPOT_TLS_KEY=str(files / "current.key"))
    failed = site.run("serve")
    assert failed.returncode == 1
    assert failed.stderr.strip().endswith("the key belongs to another certificate")


@pytest.mark.parametrize("request_line, target", [
    ("GET /", "/"), ("GET /posts?after=1&x=%2F", "/posts?after=1&x=%2F"),
    ("POST /sign-in", "/sign-in"),
    ("GET //evil.test/x", "//evil.test/x"), ("GET http://evil.test/a", "/a"),
    ("GET /.well-known/acme-challenge", "/.well-known/acme-challenge"),
    ("GET /.well-known/acme-challenge/a/b", "/.well-known/acme-challenge/a/b"),
])
def test_plain_http_leads_to_the_base_url(public, request_line, target):
    answer, _ = public.plain(request_line, "Content-Length: 0")
    assert answer.status == 301
    assert answer.headers["Location"] == f"https://{public.host}{target}"


@pytest.mark.parametrize("name", ["missing", "..", "%2e%2e", "..%2fcertificate.pem", "a%00"])
def test_plain_http_shows_no_file_but_challenges(public, name):
    (public.data / "run/acme-challenges/there").write_text("token.thumbprint")
    answer, body = public.plain("GET /.well-known/acme-challenge/there")
    assert (answer.status, body) == (200, b"token.thumbprint")
    answer, body = public.plain(f"GET /.well-known/acme-challenge/{name}")
    assert answer.status in (301, 400, 404)
    assert b"BEGIN" not in body


def test_a_request_without_a_fitting_host_is_refused_over_https(public):
    connection = public.connection()
    connection.request("GET", "/about", headers={"Host": "evil.test"})
    assert connection.getresponse().status == 421


# ACME


class NameServer:
    """Answers every question for an IPv4 address with 127.0.0.1."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                query, sender = self.socket.recvfrom(4096)
                end = query.index(0, 12) + 5
                is_address = query[end - 4:end - 2] == b"\x00\x01"
                count = b"\x00\x01" if is_address else b"\x00\x00"
                record = b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x01\x00\x04\x7f\x00\x00\x01"
                self.socket.sendto(
                    query[:2] + b"\x81\x80\x00\x01" + count + b"\x00\x00\x00\x00" + query[12:end]
                    + (record if is_address else b""), sender)

    def close(self):
        self.socket.close()


@contextlib.contextmanager
def authority(folder, http_port):
    """Debian's pebble: yields the address of its directory."""
    port, management = free_port(), free_port()
    make_certificate(folder, "pebble", host="localhost")
    (folder / "pebble.json").write_text(json.dumps({"pebble": {
        "listenAddress": f"127.0.0.1:{port}", "managementListenAddress": f"127.0.0.1:{management}",
        "certificate": str(folder / "pebble.pem"), "privateKey": str(folder / "pebble.key"),
        "httpPort": http_port, "tlsPort": free_port(), "ocspResponderURL": "",
        "externalAccountBindingRequired": False}}))
    names = NameServer()
    with open(folder / "pebble.log", "wb") as log:
        process = subprocess.Popen(
            ["pebble", "-config", folder / "pebble.json", "-dnsserver", names.address],
            env={"PEBBLE_VA_NOSLEEP": "1", "PEBBLE_WFE_NONCEREJECT": "0", "PATH": "/usr/bin"},
            stdout=log, stderr=log)
    try:
        wait_until(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0, 20, "pebble")
        yield f"https://localhost:{port}/dir"
    finally:
        process.terminate()
        process.wait(timeout=10)
        names.close()


def test_a_certificate_comes_from_an_authority(tmp_path):
    site = PublicInstance(tmp_path, PAIRSPOT_TLS="acme", PAIRSPOT_ACME_EMAIL="a@pairspot.test")
    with authority(tmp_path, site.http_port) as directory:
        site.environment["PAIRSPOT_ACME_URL"] = directory
        # curl, which dehydrated uses, trusts the test's authority by this file in its home folder.
        home = site.data / "acme"
        home.mkdir(parents=True, mode=0o700)
        site.data.chmod(0o700)
        (home / ".curlrc").write_text(f'cacert = "{tmp_path}/pebble.pem"\n')
        site.start()
        try:
            self_signed = der(site.data / "secrets/own-certificate.pem")
            def issued():
                return site.certificate() != self_signed
            wait_until(issued, 90, "the certificate", site.check_running)
            found = ssl.DER_cert_to_PEM_cert(site.certificate())
            text = subprocess.run(
                ["openssl", "x509", "-noout", "-issuer", "-ext", "subjectAltName"], input=found,
                capture_output=True, text=True, check=True).stdout
            assert "Pebble Intermediate" in text and f"DNS:{HOST}" in text
            wait_until(
                lambda: site.get("/healthz")[0].status == 200, 30, "/healthz", site.check_running)
            assert b"pairspot_certificate_end_timestamp_seconds" in site.get("/metrics")[1]
            # Not due: the same one stays. A run that was killed is no obstacle.
            before = site.certificate()
            (home / "lock").write_text("left by dehydrated when it was killed\n")
            renewed = site.run("certificate", "renew")
            assert renewed.returncode == 0, renewed.stderr
            assert site.certificate() == before
        finally:
            site.stop()


def test_without_an_authority_it_serves_its_own_certificate_and_says_so(tmp_path):
    site = PublicInstance(
        tmp_path, PAIRSPOT_TLS="acme", PAIRSPOT_ACME_URL=f"https://localhost:{free_port()}/dir")
    site.start()
    try:
        answer, body = site.get("/healthz")
        problem = json.loads(body)["problems"]["certificate"]
        assert answer.status == 503 and "issued by this instance itself" in problem
        failed = site.run("certificate", "renew")
        assert failed.returncode == 1 and failed.stderr.startswith(
            "Error: dehydrated: ERROR: Problem connecting to server")
        assert site.get("/about")[0].status == 200
    finally:
        site.stop()
