"""The notices of `serve` to the service manager (sd_notify(3))."""

import os
import signal
import socket
import subprocess
import time

from instance import PROGRAM, Instance, wait_until


class Manager:
    """The socket of a service manager."""

    def __init__(self, path):
        self.path = str(path)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)

    def next(self, seconds=60):
        self.socket.settimeout(seconds)
        return dict(line.split("=", 1) for line in self.socket.recv(4096).decode().splitlines())


def start(site, manager, **variables):
    """Starts `serve` with the process that the variables of the watchdog name."""
    words = ["sh", "-c", 'export WATCHDOG_PID=$$; exec "$0" serve', str(PROGRAM)]
    return subprocess.Popen(
        words, env=site.environment | {"NOTIFY_SOCKET": manager.path} | variables,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True)


def test_serve_tells_when_it_is_ready_works_and_stops(tmp_path):
    site, manager = Instance(tmp_path), Manager(tmp_path / "notify")
    process = start(site, manager, WATCHDOG_USEC="900000")
    try:
        notice = manager.next()
        while "READY" not in notice:
            notice = manager.next()
        assert notice == {"READY": "1", "STATUS": f"Serving {site.url}"}
        wait_until(site.is_healthy, 30, "a healthy instance")
        beats = []
        while len(beats) < 5:
            assert manager.next() == {"WATCHDOG": "1"}
            beats.append(time.monotonic())
        # A beat in a third of the time after which the manager would end it.
        assert all(later - before < 0.9 for before, later in zip(beats, beats[1:], strict=False))
        process.send_signal(signal.SIGTERM)
        while notice != {"STOPPING": "1"}:
            notice = manager.next()
        assert process.wait(timeout=30) == 0
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def test_a_serve_that_hangs_tells_nothing(tmp_path):
    site, manager = Instance(tmp_path), Manager(tmp_path / "notify")
    process = start(site, manager, WATCHDOG_USEC="900000")
    try:
        while manager.next() != {"WATCHDOG": "1"}:
            pass
        process.send_signal(signal.SIGSTOP)
        try:
            for _ in range(20):
                manager.next(seconds=2)
            raise AssertionError("a stopped process still beats")
        except TimeoutError:
            pass
        process.send_signal(signal.SIGCONT)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
