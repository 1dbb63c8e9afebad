"""Operation: mail over SMTP, plain CGI, and killed processes."""

import json
import os
import re
import shutil
import signal
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from email import message_from_bytes, policy
from http.client import HTTPException

import pytest

from instance import CHECKOUT, PROGRAM, Instance, free_port, link_in, wait_until
from people import Visitor


def test_mail_goes_out_over_smtp(own_site, sink):
    site = own_site(
        PAIRSPOT_MAIL="smtp", SMTP_HOST="127.0.0.1", SMTP_PORT=str(sink.port), SMTP_TLS="none",
        FROM_EMAIL="home@pairspot.example", FROM_NAME="PairSpot 家")
    visitor = Visitor(site)
    fields = {"csrf_token": visitor.token("/register"), "email_a": "ann@example.test",
              "email_b": "ben@example.test", "couple_name": "Ann & Ben 安本",
              "anniversary": "2024-02-29", "accept": "1"}
    assert visitor.post("/register", fields).status == 303
    wait_until(lambda: len(sink.envelopes) == 2, 20, "two mails")
    assert sorted(e.rcpt_tos[0] for e in sink.envelopes) == ["ann@example.test", "ben@example.test"]
    for envelope in sink.envelopes:
        assert re.fullmatch(r"home\+b[a-z2-7]{37}@pairspot\.example", envelope.mail_from)
        mail = message_from_bytes(envelope.content, policy=policy.default)
        assert mail["From"].addresses[0].addr_spec == "home@pairspot.example"
        assert mail["From"].addresses[0].display_name == "PairSpot 家"
        assert mail["Message-ID"] and mail["Date"]
        assert "安本" in mail.get_body(("plain",)).get_content()
        assert "安本" in mail.get_body(("html",)).get_content()
        assert Visitor(site).get(link_in(mail).removeprefix(site.url)).status == 200
    # Mail can be read in the browser only with the file sender.
    assert visitor.get("/dev/mail").status == 404


def test_pages_are_answered_while_the_mail_server_is_down(own_site):
    site = own_site(
        PAIRSPOT_MAIL="smtp", SMTP_HOST="127.0.0.1", SMTP_PORT=str(free_port()), SMTP_TLS="none",
        FROM_EMAIL="home@pairspot.example")
    visitor = Visitor(site)
    fields = {"csrf_token": visitor.token("/register/alone"), "display_name": "Lin",
              "email": "lin@example.test", "password": "a lamp in the hall", "accept": "1"}
    assert visitor.post("/register/alone", fields).status == 303
    assert visitor.get("/register/waiting").status == 200


def test_the_program_tells_its_version_and_commit(tmp_path):
    number = re.search(
        r"--version` says (\S+)\.$", (CHECKOUT / "CHANGELOG.md").read_text(), re.M).group(1)
    program = tmp_path / "pairspot"
    shutil.copy2(PROGRAM, program)
    assert subprocess.check_output([program, "--version"], text=True) == f"{number}\n"
    (tmp_path / "pairspot.commit").write_text("1a2b3c4-dirty\n")
    assert subprocess.check_output([program, "--version"], text=True) == \
        f"{number} (1a2b3c4-dirty)\n"


def test_it_answers_as_a_plain_cgi(site, tmp_path):
    environment = {
        "PATH": f"{PROGRAM.parent}:/usr/bin:/bin", "PAIRSPOT_ENV": "development",
        "PAIRSPOT_DATA": str(site.data), "PAIRSPOT_PORT": str(site.port),
        "GATEWAY_INTERFACE": "CGI/1.1", "REQUEST_METHOD": "GET", "REQUEST_URI": "/",
        "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": site.host,
    } | site.database_setting
    run = subprocess.run(
        [str(CHECKOUT / "cgi-bin/pairspot.fcgi")], env=environment, capture_output=True,
        stdin=subprocess.DEVNULL, timeout=30)
    head, _, body = run.stdout.partition(b"\r\n\r\n")
    assert run.returncode == 0, run.stderr
    assert head.startswith(b"Status: 200")
    assert b"content-type: text/html" in head.lower()
    assert body.startswith(b"<!DOCTYPE html>") and body.rstrip().endswith(b"</html>")


def test_killed_processes_come_back_and_nothing_is_lost(own_site):
    site = own_site(PAIRSPOT_DEMO="1")
    mei = Visitor(site).sign_in("mei@example.test")
    link = mei.write("written before the fall").made
    for word in (" handlers", " worker"):
        before = site.processes(word)
        assert len(before) == 1
        os.kill(before[0], signal.SIGKILL)
        wait_until(
            lambda: site.processes(word) not in ([], before) and site.is_healthy(), 30, word)
    assert "written before the fall" in mei.get(link).text
    # The restarted worker sends mail.
    visitor = Visitor(site)
    visitor.post("/reset", {"csrf_token": visitor.token("/reset"), "email": "jun@example.test"})
    site.mail_to("jun@example.test")


def test_who_asks_while_handlers_are_gone_gets_a_page(own_site):
    site = own_site()
    visitor = Visitor(site)
    statuses = []
    done = threading.Event()

    def ask():
        while not done.is_set():
            try:
                answer = visitor.get("/")
            except HTTPException:  # Half an answer: its process was killed.
                continue
            statuses.append(answer.status)
            assert "<html" in answer.text

    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask)
        try:
            # Restarted processes may be ready before the client: repeats until a request was
            # refused.
            for _ in range(20):
                os.kill(wait_until(lambda: site.processes(" handlers"), 30, "handlers")[0],
                        signal.SIGKILL)
                wait_until(site.is_healthy, 30, "handlers")
                if 502 in statuses:
                    break
        finally:
            done.set()
        asking.result()
    assert set(statuses) == {200, 502}, set(statuses)


def test_what_nginx_says_names_nobody_and_nothing_that_was_asked(own_site):
    site = own_site()
    visitor = Visitor(site)
    token = "s3cret-token-of-a-mail"
    statuses = set()
    # Restarted processes may be ready before the client.
    for _ in range(20):
        os.kill(wait_until(lambda: site.processes(" handlers"), 30, "handlers")[0], signal.SIGKILL)
        for _ in range(5):
            with suppress(HTTPException):  # Half an answer: its process was killed.
                statuses.add(visitor.get(
                    f"/verify?token={token}", Referer=f"{site.url}/settings/{token}").status)
        wait_until(site.is_healthy, 30, "handlers")
        if 502 in statuses:
            break
    assert 502 in statuses
    # Longer than nginx's buffer in memory, and longer than its limit.
    for size in (200_000, 2_000_000):
        with suppress(OSError, HTTPException):
            visitor.post(f"/verify/{token}", {"note": "x" * size})

    def failures():
        lines = (site.data / "logs/nginx.log").read_text().splitlines()
        said = [json.loads(line)["message"] for line in lines]
        return all(any(word in line for line in said) for word in ("upstream", "too large"))

    wait_until(failures, 5, "what nginx says")
    logs = [site.log, *(path for path in (site.data / "logs").rglob("*") if path.is_file())]
    for path in logs:
        text = path.read_text()
        for word in (token, "/verify?", "/settings/", "client:", "referrer"):
            assert word not in text, (path.name, word)
        if path != site.log:  # It prints the URL to open for the operator.
            assert "127.0.0.1" not in text, path.name


def test_a_taken_port_is_told_in_one_line(site, tmp_path):
    second = subprocess.run(
        [str(site.process.args[0]), "serve"],
        env=Instance(tmp_path, PAIRSPOT_PORT=str(site.port)).environment,
        capture_output=True, text=True, timeout=30)
    assert second.returncode != 0
    assert str(site.port) in second.stderr
    assert len(second.stderr.strip().splitlines()) == 1


def test_a_second_one_on_the_same_data_is_refused_before_it_touches_anything(own_site):
    site = own_site()
    upload = site.data / "run/uploads/upload-on-its-way"
    upload.write_bytes(b"half of it")
    before = {path: path.stat().st_mtime_ns for path in (site.data / "run").iterdir()
              if path.is_file()}
    second = subprocess.run(
        [str(site.program), "serve"],
        env=site.environment | {"PAIRSPOT_PORT": str(free_port())}, capture_output=True, text=True,
        timeout=30)
    assert second.returncode != 0 and "already running" in second.stderr
    assert len(second.stderr.strip().splitlines()) == 1
    assert upload.exists()
    assert before == {path: path.stat().st_mtime_ns for path in before}
    assert site.is_healthy()


def test_who_stops_while_it_prepares_ends_all_of_it(tmp_path):
    site = Instance(tmp_path, PAIRSPOT_DEMO="1")
    process = subprocess.Popen(
        [str(site.program), "serve"], env=site.environment, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, start_new_session=True)
    wait_until(lambda: site.processes("--prepare"), 20, "what prepares")
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=10)
    wait_until(lambda: not site.processes(), 5, "the end of all")
    # And unfinished uploads do no harm.
    site.start()
    site.stop()


@pytest.mark.sqlite("it writes the database's file")
def test_what_keeps_it_from_preparing_is_told_once(tmp_path):
    site = Instance(tmp_path)
    site.data.mkdir()
    (site.data / "pairspot.sqlite").write_bytes(b"a database of which nobody has the keys")
    run = subprocess.run(
        [str(site.program), "serve"], env=site.environment, capture_output=True, text=True,
        timeout=60)
    assert run.returncode == 1
    assert "keys.json" in run.stderr and len(run.stderr.strip().splitlines()) == 1


def test_production_refuses_what_only_development_may(site):
    run = subprocess.run(
        [str(site.process.args[0]), "config", "check"],
        env=site.environment | {"PAIRSPOT_ENV": "production"}, capture_output=True, text=True,
        timeout=30)
    assert run.returncode != 0
    assert "PAIRSPOT_RATE_LIMITS" in run.stdout + run.stderr


def stamp_now(checked, file):
    """The contents of `checked` if all templates had been compiled with `file` as it is now."""
    status = file.stat()
    line = (f"{file} {status.st_mtime_ns // 10**9} {status.st_mtime_ns % 10**9}"
            f" {status.st_ctime_ns // 10**9} {status.st_ctime_ns % 10**9}"
            f" {status.st_size} {status.st_ino}")
    lines = checked.read_text().split("\n")
    return "\n".join(line if old.startswith(f"{file} ") else old for old in lines)


def test_in_production_templates_are_checked_once(tmp_path):
    """… and compiled on first use; changed ones are checked again."""
    share = tmp_path / "share"
    for part in ["templates", "public", "deploy"]:
        shutil.copytree(CHECKOUT / part, share / part)
    site = Instance(tmp_path)
    environment = {
        "PATH": os.environ["PATH"], "PAIRSPOT_ENV": "production", "PAIRSPOT_SHARE": str(share),
        "PAIRSPOT_DATA": str(site.data), "PAIRSPOT_PORT": str(site.port),
        "PAIRSPOT_BASE_URL": "https://pairspot.example", "SMTP_HOST": "127.0.0.1",
        "FROM_EMAIL": "pairspot@pairspot.example"}
    checked = site.data / "run/templates-checked"

    def run(*arguments, **more):
        return subprocess.run(
            [str(site.program), *arguments], env=environment | more, capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=60)

    def asking(path, language):
        return dict(
            GATEWAY_INTERFACE="CGI/1.1", REQUEST_METHOD="GET", REQUEST_URI=path,
            SERVER_PROTOCOL="HTTP/1.1", REMOTE_ADDR="127.0.0.1", HTTP_HOST="pairspot.example",
            HTTPS="on", HTTP_ACCEPT_LANGUAGE=language)

    def page(path, language):
        answer = run("handlers", **asking(path, language))
        assert answer.returncode == 0 and "Status: 200" in answer.stdout, answer
        return answer.stdout

    def prepare():
        answer = run("serve", "--prepare")
        assert answer.returncode == 0, answer

    prepare()
    known = checked.read_text()
    about = share / "templates/static/about.mustache"
    assert str(about) in known and str(share / "templates/locales/en.json") in known
    for asked, language in [("en", "en"), ("zh-TW", "zh-Hant"), ("zh-CN", "zh-Hans")]:
        for path in ["/about", "/api"]:
            assert f'<html lang="{language}"' in page(path, asked), (path, language)
    prepare()
    assert checked.read_text() == known

    # No page shows the second one: it is rendered for nginx.
    for name in ["static/about", "errors/static"]:
        file = share / f"templates/{name}.mustache"
        right = file.read_text()
        file.write_text(right + "{{nobody_knows_this}}")
        for _ in range(2):
            broken = run("serve", "--prepare")
            assert broken.returncode == 1 and "nobody_knows_this" in broken.stderr, broken
        if name == "static/about":
            for command in [["handlers"], ["worker", "--once"]]:
                broken = run(*command)
                assert broken.returncode == 1 and "nobody_knows_this" in broken.stderr, broken
        assert checked.read_text() == known
        file.write_text(right + "<!-- a word more -->")
    assert "a word more" in page("/about", "en")
    assert checked.read_text() == known
    prepare()
    assert checked.read_text() != known
    # A template marked as checked is not compiled: the error appears only when it is used.
    about.write_text(about.read_text() + "{{nobody_knows_this}}")
    checked.write_text(stamp_now(checked, about))
    assert "</html>" in page("/api", "en")
    wrong = run("handlers", **asking("/about", "en"))
    assert wrong.returncode != 0 and "nobody_knows_this" in wrong.stderr, wrong
    # From then on it is an error for all, after a new check of all templates.
    assert not checked.exists()
    broken = run("serve", "--prepare")
    assert broken.returncode == 1 and "nobody_knows_this" in broken.stderr, broken


def test_health_and_logs_name_no_person(site, visitor):
    visitor.get("/verify?token=secretsecret")
    log = (site.data / "logs/requests.log").read_text()
    assert "secretsecret" not in log
    assert "example.test" not in log
    assert '"route":"GET /verify"' in log


def test_what_lies_in_the_data_folder_is_for_its_owner_only(site):
    for path in [*(site.data / "secrets").iterdir(), *(site.data / "mail").glob("*.eml")]:
        assert path.stat().st_mode & 0o077 == 0, path
