"""The peers over the database of an instance, each behind an nginx of its own."""

import json
import os
import signal
import subprocess
import sys
import time

from . import knobs
from .front import start_nginx
from .mustache import GoCompiler
from .processes import APART, family
from .site import Keys, call


class Peer:
    """FastAPI: Gunicorn with two Uvicorn workers that share data loaded before the fork: uvloop,
    httptools, a Unix socket, persistent connections (`fastapi/settings.py`)."""

    def __init__(self, site, database, folder, assets="/assets/0", app="peer:app"):
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o777)
        keys = Keys(site.data)
        self.folder, self.share, self.app = folder, site.share, app
        self.socket = folder / "peer.sock"
        self.log = folder / "peer.log"
        environment = dict(
            PATH=os.environ["PATH"], DATABASE=str(database), SHARE=str(site.share), ASSETS=assets,
            HOME=str(folder),
            KEYS=json.dumps({"csrf": keys.csrf.hex(), "browser-user": keys.browser_user.hex()}))
        command, more = self.command()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*site.as_nobody(), *map(str, command)], env=environment | more,
                **APART | dict(stdout=log, stderr=log))
        self.port, self.nginx = start_nginx(
            folder / "front", "location / { proxy_pass http://peer; proxy_set_header Connection"
            " \"\"; proxy_set_header Host $host; }",
            f"upstream peer {{ server unix:{self.socket}; keepalive 32; }}", log=True)

    def command(self):
        """The program with its arguments, and more of its environment."""
        here = knobs.BENCH / "fastapi"
        return [
            knobs.PEER_PYTHON, "-m", "gunicorn", "--chdir", here, "--config", here / "settings.py",
            "--workers", knobs.WORKERS, "--worker-tmp-dir", self.folder, "--bind",
            f"unix:{self.socket}", self.app,
        ], dict(PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=str(knobs.BENCH / "shared"))

    def wait(self, path, headers=()):
        """Waits until it answers; returns its first page."""
        end = time.time() + 60
        while time.time() < end:
            if self.process.poll() is not None:
                break
            try:
                status, _, body = call(self.port, "GET", path, headers=headers)
                if status == 200:
                    return body
            except OSError:
                pass
            time.sleep(0.1)
        self.stop()
        sys.exit("the peer does not answer:\n" + self.log.read_text()[-3000:])

    def own(self):
        """Gunicorn and its workers."""
        return family(self.process.pid)

    def processes(self):
        """Its own processes and the nginx in front."""
        return self.own() + family(self.nginx.pid)

    def stop(self):
        for process in (self.nginx, self.process):
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)


class GoPeer(Peer):
    """Go's net/http and html/template (`go/peer.go`): one process for all processors, which collects
    garbage when its memory has grown fivefold."""

    def command(self):
        program, template = self.folder / "go-peer", self.folder / "feed.tmpl"
        template.write_text(GoCompiler(self.share / "templates", "en").compile("feed/feed"))
        # Debian's packages of libraries are sources in the layout of before modules.
        subprocess.run(
            ["go", "build", "-tags", "libsqlite3", "-o", program, "."], check=True,
            cwd=knobs.BENCH / "go", env=os.environ | dict(
                GO111MODULE="off", GOPATH="/usr/share/gocode",
                GOCACHE=str(knobs.ROOT / ".build/bench/go")))
        return [program, self.socket], dict(TEMPLATE=str(template), GOGC="400")
