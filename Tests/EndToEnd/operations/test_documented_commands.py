"""The commands of the pages Install and Start, run as they stand there; those for a server are run
in `test_machine.py`, those of the page PostgreSQL in `test_postgresql_guide.py`."""

import contextlib
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from documented_commands import commands, sections
from instance import CHECKOUT, Instance, wait_until


@pytest.mark.parametrize("page", ["install.md", "postgresql.md", "start.md"])
def test_the_commands_of_each_section_are_run_by_a_test(page):
    tests = "".join(path.read_text() for path in (CHECKOUT / "Tests/EndToEnd").rglob("test_*.py"))
    found = sections(page)
    assert found
    for section in found:
        assert f'commands("{page}", "{section}")' in tests, section


class Trial(Instance):
    """What a command line starts on this machine."""

    def __init__(self, folder, line):
        super().__init__(folder, PAIRSPOT_PORT=(re.findall(r"PORT=(\d+)", line) or ["8080"])[0])
        self.line = line
        if "TLS=1" in line:
            self.url = self.url.replace("http:", "https:")

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.line, shell=True, cwd=CHECKOUT, env=self.environment, stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, start_new_session=True)
        wait_until(self.is_healthy, 1800, f"/healthz of {self.url}", self.check_running)

    def is_healthy(self):
        with contextlib.suppress(urllib.error.URLError, OSError):
            return self.get("/healthz")
        return False

    def get(self, path):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context = context if self.url.startswith("https:") else None
        with urllib.request.urlopen(self.url + path, timeout=30, context=context) as answer:
            return answer.read().decode()

    def interrupt(self):
        """What Ctrl-C does in a terminal."""
        os.killpg(self.process.pid, signal.SIGINT)
        self.process.wait(timeout=60)
        wait_until(lambda: not self.processes(), 10, "the end of all processes")


@pytest.mark.timed
@pytest.mark.parametrize("line", commands("start.md", "Try it out"))
def test_pairspot_can_be_tried_out(line, tmp_path):
    trial = Trial(tmp_path, line)
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", trial.port)) == 0:
            pytest.skip(f"port {trial.port} is in use")
    trial.start()
    try:
        assert (trial.data / "secrets/demo").exists() == ("DEMO=0" not in line)
        assert "PairSpot" in trial.get("/about")
    finally:
        trial.interrupt()


@pytest.mark.timed
def test_pairspot_is_installed_without_the_package(tmp_path):
    *install, setup = commands("install.md", "Without the package")
    # A folder that every user may read.
    root = Path("/var/tmp") / f"pairspot-{os.getpid()}"
    environment = os.environ | {"DESTDIR": str(root)}
    try:
        for line in install:
            subprocess.run(line, shell=True, cwd=CHECKOUT, env=environment, check=True, timeout=3600)
        programs = root / "usr/local/bin"
        # Nothing is asked without a terminal, so it says what is missing.
        run = subprocess.run(
            setup, shell=True, text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=60,
            env={"PATH": f"{programs}:{os.environ['PATH']}",
                 "PAIRSPOT_CONFIG": str(tmp_path / "pairspot.conf")})
        assert run.returncode != 0 and "PAIRSPOT_BASE_URL: missing" in run.stderr, run.stderr
    finally:
        shutil.rmtree(root, ignore_errors=True)
