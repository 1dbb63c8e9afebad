"""`pairspot setup` where no systemd runs: settings, database, first admin, test mail, check list."""

import os
import pty
import subprocess

import pytest
from instance import PROGRAM, Instance, wait_until


@pytest.fixture
def server(tmp_path, sink):
    return Server(tmp_path, sink)


class Server:
    """A machine on which nothing is set up."""

    def __init__(self, folder, sink):
        self.file = folder / "pairspot.conf"
        self.sink = sink
        site = Instance(folder)
        self.environment = {
            name: value for name, value in site.environment.items()
            if name not in ("PAIRSPOT_ENV", "PAIRSPOT_PORT", "PAIRSPOT_RATE_LIMITS")
        } | {"PAIRSPOT_CONFIG": str(self.file)}
        self.port = site.port

    def setup(self, *options):
        return subprocess.run(
            [PROGRAM, "setup", *options], env=self.environment, text=True, capture_output=True,
            stdin=subprocess.DEVNULL, timeout=120)

    def complete(self, *more):
        return self.setup(
            "--no-input", "--domain", "pairspot.invalid", "--tls", "proxy", "--from",
            "hello@pairspot.invalid", "--smtp-host", "127.0.0.1", "--smtp-port",
            str(self.sink.port), "--smtp-tls", "none", "--time-zone", "Europe/Berlin",
            "--admin", "ada@example.test", "--set", f"PAIRSPOT_PORT={self.port}", *more)


def lines(run):
    """The check list: state and text by subject."""
    found = {}
    for line in run.stdout.splitlines():
        state, _, rest = line.partition(" ")
        if state in ("ok", "look", "missing"):
            subject, _, text = rest.strip().partition(" ")
            found[subject] = (state, text.strip())
    return found


def test_one_command_makes_settings_database_admin_and_a_test_mail(server):
    run = server.complete()
    settings = server.file.read_text().splitlines()
    assert "PAIRSPOT_BASE_URL=https://pairspot.invalid" in settings, run.stderr
    assert "PAIRSPOT_TLS=0" in settings and "PAIRSPOT_TIME_ZONE=Europe/Berlin" in settings
    assert server.file.stat().st_mode & 0o777 == 0o640
    assert "https://pairspot.invalid/" in run.stdout and "ada@example.test" in run.stdout
    assert [envelope.rcpt_tos for envelope in server.sink.envelopes] == [["ada@example.test"]]
    checks = lines(run)
    assert checks["mail"][0] == "ok" and checks["disk"][0] in ("ok", "look")
    # Nothing of it is public here.
    assert checks["DNS"][0] == "missing" and "A record" in checks["DNS"][1]
    assert checks["https"][0] == "missing" and run.returncode == 1


def test_a_second_setup_changes_what_is_asked_and_nothing_else(server):
    server.complete()
    server.file.write_text("# ours\n" + server.file.read_text() + "PAIRSPOT_THREADS=6\n")
    before = server.file.read_text()
    run = server.complete()
    assert "stays as it is" in run.stdout and "there is an admin already" in run.stdout
    assert server.file.read_text() == before
    server.complete("--language", "zh-Hant")
    assert server.file.read_text() == before.replace(
        "PAIRSPOT_LANGUAGE=en\n", "PAIRSPOT_LANGUAGE=zh-Hant\n")


def test_a_wrong_or_missing_answer_changes_nothing(server):
    for options, name in [
        ((), "PAIRSPOT_BASE_URL"), (("--time-zone", "Mars/Olympus"), "PAIRSPOT_TIME_ZONE"),
        (("--set", "PAIRSPOT_PROT=1"), "PAIRSPOT_PROT"), (("--set", "nonsense"), "nonsense"),
        (("--smtp-password-file", "/nowhere"), "/nowhere"),
    ]:
        run = server.complete(*options) if options else server.setup("--no-input")
        assert run.returncode != 0 and name in run.stderr, (options, run.stderr)
        assert not server.file.exists()
    assert not server.sink.envelopes


def test_a_password_comes_from_a_file_and_is_never_shown(server, tmp_path):
    (tmp_path / "password").write_text("Geheim 123\n")
    run = server.complete(
        "--smtp-user", "us", "--smtp-password-file", str(tmp_path / "password"))
    assert "SMTP_PASSWORD=Geheim 123\n" in server.file.read_text()
    assert "Geheim" not in run.stdout + run.stderr


def test_checking_changes_nothing(server):
    run = server.setup("--check")
    assert run.returncode != 0 and not server.file.exists()
    server.complete()
    before = server.file.stat().st_mtime_ns
    run = server.setup("--check")
    assert run.returncode == 1 and "missing" in run.stdout
    assert server.file.stat().st_mtime_ns == before and len(server.sink.envelopes) == 1


def test_a_person_is_asked_and_asked_again_after_a_wrong_answer(server):
    """On a terminal, word by word."""
    answers = [
        ("Domain", "pairspot.invalid"), ("Certificates", "proxy"), ("Addresses of the proxy", ""),
        ("Time zone", "Nowhere"), ("unknown time zone", None), ("Time zone", "Asia/Tokyo"),
        ("Language", ""), ("Address from which", "hello@pairspot.invalid"), ("Mails leave by", ""),
        ("Mail server", "127.0.0.1"), ("encryption", "none"), ("port", str(server.sink.port)),
        ("User", ""), ("Password", ""), ("Address of the first admin", "ada@example.test"),
    ]
    process, terminal = pty.fork()
    if process == 0:
        os.execve(PROGRAM, [str(PROGRAM), "setup"], server.environment)
    shown = ""
    try:
        for words, answer in answers:
            while words not in shown:
                shown += os.read(terminal, 4096).decode()
            shown = shown.partition(words)[2]
            if answer is not None:
                os.write(terminal, answer.encode() + b"\n")
        wait_until(lambda: server.sink.envelopes, 60, "the test mail")
    finally:
        os.close(terminal)
        os.waitpid(process, 0)
    assert "PAIRSPOT_TIME_ZONE=Asia/Tokyo\n" in server.file.read_text()
