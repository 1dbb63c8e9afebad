"""Faults of the machine: processes and connections that die. Disks, locks, clocks, alerts and
external services have files of their own; all of them at once is `test_crashes.py`."""

import os
import signal
import socket
import struct
import subprocess
import time

from instance import PROGRAM, wait_until
from people import EMPTY, Visitor, multipart
from pictures import png_bytes
from missed_check_ins import count


def smtp(port):
    return dict(
        PAIRSPOT_MAIL="smtp", SMTP_HOST="127.0.0.1", SMTP_PORT=str(port), SMTP_TLS="none",
        FROM_EMAIL="home@pairspot.example")


def register(visitor, name):
    fields = {"csrf_token": visitor.token("/register"), "email_a": f"{name}.a@example.test",
              "email_b": f"{name}.b@example.test", "couple_name": name,
              "anniversary": "2024-02-29", "accept": "1"}
    assert visitor.post("/register", fields).status == 303


def recipients(sink):
    return sorted(address for envelope in sink.envelopes for address in envelope.rcpt_tos)


def test_two_workers_send_each_mail_once(own_site, sink):
    site = own_site(**smtp(sink.port))
    second = subprocess.Popen(
        [PROGRAM, "worker"], env=site.environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for number in range(10):
            register(Visitor(site), f"pair{number}")
        wait_until(lambda: len(sink.envelopes) >= 20, 40, "twenty mails")
        time.sleep(1)
    finally:
        second.terminate()
        second.wait(20)
    assert len(recipients(sink)) == len(set(recipients(sink))) == 20


def test_nginx_comes_back_when_it_is_killed(own_site):
    site = own_site(PAIRSPOT_DEMO="1")
    mei = Visitor(site).sign_in("mei@example.test")
    before = site.processes("nginx: master")
    assert len(before) == 1
    os.kill(before[0], signal.SIGKILL)
    wait_until(
        lambda: site.processes("nginx: master") not in ([], before) and site.is_healthy(), 30,
        "nginx")
    assert mei.write("after nginx").status == 303


# Interrupted uploads

class Wire:
    """A raw connection controlled by a test."""

    def __init__(self, site):
        self.socket = socket.create_connection(("127.0.0.1", site.port), timeout=20)

    def say(self, words):
        self.socket.sendall(words)

    def hang_up(self):
        # Like a phone without network: the connection is reset.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def status(self):
        head = self.socket.makefile("rb").readline()
        self.socket.close()
        return int(head.split()[1]) if head else None


def sent(visitor, path, body, kind, length=None):
    """A request in wire format."""
    cookies = "; ".join(f"{name}={value.value}" for name, value in visitor.cookies.items())
    site = visitor.site
    return (
        f"POST {path} HTTP/1.1\r\nHost: {site.host}\r\nOrigin: {site.url}\r\nCookie: {cookies}\r\n"
        f"Connection: close\r\nContent-Type: {kind}\r\n"
        f"Content-Length: {len(body) if length is None else length}\r\n\r\n").encode() + body


def test_uploads_that_break_off_leave_nothing_behind(own_site):
    site = own_site(PAIRSPOT_DEMO="1")
    mei = Visitor(site).sign_in("mei@example.test")
    picture = png_bytes() + bytes(300_000)
    media, posts = site.media(), count(site, "posts")
    photos = count(site, "photos")
    for path, field in [("/posts", "images"), ("/album", "file"), ("/stories", "file")]:
        form = {"csrf_token": mei.token(), "nonce": "n" * 22, "content": "half of it",
                "visibility": "public", "story": "half of it"}
        body, kind = multipart(form, [(field, "a.png", picture)])
        whole = sent(mei, path, body, kind)
        # The connection dies: in the header, in the middle, one byte before the end.
        for cut in (200, len(whole) // 2, len(whole) - 1):
            wire = Wire(site)
            wire.say(whole[:cut])
            wire.hang_up()
        # The connection stays, but picture and form are incomplete.
        for short in (body[:len(body) // 2], body[:-8]):
            wire = Wire(site)
            wire.say(sent(mei, path, short, kind))
            assert wire.status() in (400, 422), path
    wait_until(
        lambda: not [path for path in (site.data / "run").rglob("*") if path.is_file()
                     and {"uploads", "nginx-body"} & set(path.parts)], 20, "the end of uploads")
    assert (site.media(), count(site, "posts"), count(site, "photos")) == (media, posts, photos)
    assert mei.write("and all of it", files=[("a.png", picture)]).status == 303


def test_who_goes_away_before_the_answer_has_written_once(own_site):
    site = own_site(PAIRSPOT_DEMO="1")
    mei = Visitor(site).sign_in("mei@example.test")
    for number in range(5):
        form = mei.composer() | {"content": f"unheard {number}", "visibility": "public"}
        body, kind = multipart(form, [EMPTY])
        wire = Wire(site)
        wire.say(sent(mei, "/posts", body, kind))
        wire.hang_up()
        # The phone is back, and repeats the unanswered request.
        assert mei.write(f"unheard {number}", fields=form).status == 303
        assert count(site, "posts", f"content = 'unheard {number}'") == 1
