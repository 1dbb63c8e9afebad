"""A blank Debian server in QEMU becomes a public instance, and stays one: installation by the lines
of docs/operator/install.md, ACME, registration from outside, reboot, power cut, upgrade, backup,
drill, restore, removal."""

import email
import email.policy
import http.client
import os
import re
import shutil
import ssl
import subprocess
import threading
import time
from pathlib import Path

import pytest
from documented_commands import commands
from instance import CHECKOUT, link_in, wait_until
from mail_sink import Sink
from people import Visitor
from test_onboarding import come_in, register
from virtual_machine import Machine, build_image

# Those of the guide.
DOMAIN = "example.com"
HOST = f"pairspot.{DOMAIN}"
# What the internet would do for the machine: names, mail and certificates.
NAMES = f"""listen-address=127.0.0.1
bind-interfaces
no-resolv
local=/{DOMAIN}/
host-record={HOST},10.0.2.15
host-record=mail.{DOMAIN},127.0.0.1
mx-host={DOMAIN},mail.{DOMAIN}
txt-record={DOMAIN},"v=spf1 mx -all"
txt-record=_dmarc.{DOMAIN},"v=DMARC1; p=none"
"""
AUTHORITY = """{"pebble": {"listenAddress": "127.0.0.1:14000",
"managementListenAddress": "127.0.0.1:15000", "certificate": "/root/pebble.pem",
"privateKey": "/root/pebble.key", "httpPort": 80, "tlsPort": 443, "ocspResponderURL": "",
"externalAccountBindingRequired": false}}
"""
UNIT = """[Service]
Environment=PEBBLE_VA_NOSLEEP=1 PEBBLE_WFE_NONCEREJECT=0
ExecStart=/usr/bin/pebble -config /root/pebble.json -dnsserver 127.0.0.1:53
[Install]
WantedBy=multi-user.target
"""


class Server(Machine):
    """The machine, as an instance that is reached from outside."""

    host = HOST
    url = f"https://{HOST}"

    def __init__(self, image, folder, sink):
        super().__init__(image, folder, [443])
        self.sink = sink
        self.authority = None

    def begin(self):
        self.start()
        self.open_tunnel(2525, self.sink.port)

    def play_internet(self):
        self.run("cat > /etc/dnsmasq.d/test.conf; systemctl enable --now dnsmasq", given=NAMES)
        self.run("cat > /root/pebble.json", given=AUTHORITY)
        self.run("cat > /etc/systemd/system/pebble.service", given=UNIT)
        self.run(
            "openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=localhost -addext "
            "subjectAltName=DNS:localhost -keyout /root/pebble.key -out /root/pebble.pem && "
            "cp /root/pebble.pem /usr/local/share/ca-certificates/pebble.crt && "
            "update-ca-certificates && systemctl enable --now pebble")

    def trust(self):
        """Makes the machine itself trust the authority's certificates, as browsers would."""
        self.run(
            "curl -s https://localhost:15000/roots/0 > /usr/local/share/ca-certificates/acme.crt "
            "&& update-ca-certificates")
        self.authority = ssl.create_default_context(
            cadata=self.run("cat /usr/local/share/ca-certificates/acme.crt").stdout)

    def connection(self):
        return Connection("127.0.0.1", self.ports[443], context=self.authority, timeout=60)

    def status(self, path):
        connection = self.connection()
        try:
            connection.request("GET", path, headers={"Host": HOST})
            return connection.getresponse().status
        except OSError:
            return None
        finally:
            connection.close()

    def wait_healthy(self, seconds=300):
        wait_until(lambda: self.status("/healthz") == 200, seconds, "/healthz")

    def mail_to(self, address):
        def newest():
            found = [e for e in self.sink.envelopes if address in e.rcpt_tos]
            return found[-1] if found else None
        envelope = wait_until(newest, 60, f"a mail to {address}")
        return email.message_from_bytes(envelope.content, policy=email.policy.default)


class Connection(http.client.HTTPSConnection):
    """Connects to a port of loopback, and expects the certificate of the server's name."""

    def connect(self):
        http.client.HTTPConnection.connect(self)
        self.sock = self._context.wrap_socket(self.sock, server_hostname=HOST)


class Member(Visitor):
    """A visitor over https."""

    def connect(self):
        return self.site.connection()


class Diary:
    """How long each step took, for Tests/Bench/RESULTS.md."""

    def __init__(self, path):
        self.path = path
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text("")
        self.last = time.monotonic()

    def note(self, step):
        now = time.monotonic()
        with self.path.open("a") as file:
            file.write(f"{step}: {now - self.last:.0f} s\n")
        self.last = now


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """The package, and a newer one of the same program."""
    [make] = commands("install.md", "1. Get the package")
    made = []
    for version in ("1.0.0", "1.0.1"):
        subprocess.run(
            make, shell=True, cwd=CHECKOUT, env=os.environ | {"VERSION": version}, check=True,
            timeout=3600)
        [package] = (CHECKOUT / ".build").glob("pairspot_*.deb")
        made.append(Path(shutil.move(package, tmp_path_factory.mktemp("package"))))
    return made


@pytest.fixture
def server(tmp_path):
    image = CHECKOUT / ".build/machine"
    if not (image / "disk").exists():
        build_image(image)
    sink = Sink()
    machine = Server(image, tmp_path, sink)
    yield machine
    machine.cut_power()
    sink.stop()


def check_list(output):
    """State and text of each line of the check list, by subject."""
    lines = re.findall(r"^(ok|look|missing)\s+(\S+)\s+(.*)$", output, re.M)
    return {subject: (state, text) for state, subject, text in lines}


@pytest.mark.timed
def test_a_blank_server_becomes_a_public_instance_and_stays_one(server, packages, playwright):
    diary = Diary(CHECKOUT / ".build/logs/machine.log")
    server.begin()
    server.play_internet()
    diary.note("boot of the blank server")

    server.put(packages[0], "/root/pairspot_1.0.0.deb")
    update, install = commands("install.md", "2. Install it")
    # Without the internet there is nothing to fetch.
    server.run(update, check=False)
    said = server.run(install, given="y\n").stdout
    assert "Next: pairspot setup" in said
    assert server.run("systemctl is-active pairspot", check=False).stdout.strip() == "inactive"
    assert server.run("stat -c %a,%U /var/lib/pairspot").stdout.strip() == "700,pairspot"
    diary.note("installation")

    asking, told = commands("install.md", "3. Set it up")
    # Nothing is asked without a terminal; `test_setup.py` has one.
    refused = server.run(asking, check=False)
    assert refused.returncode != 0 and "PAIRSPOT_BASE_URL: missing" in refused.stderr
    server.run("echo Geheim > /root/smtp-password")
    # In addition: where the stand-ins for the internet are.
    setup = server.run(
        f"{told} --smtp-port 2525 --smtp-tls none "
        "--set PAIRSPOT_ACME_URL=https://localhost:14000/dir", check=False)
    print(setup.stdout, setup.stderr)
    assert "stopped nginx.service" in setup.stdout
    diary.note("setup")
    server.trust()
    checks = check_list(server.run("pairspot setup --check", check=False).stdout)
    # Without the internet, no time server can be reached.
    missing = {subject: text for subject, (state, text) in checks.items() if state == "missing"}
    assert set(missing) <= {"clock"}, missing
    assert {"DNS", "MX", "SPF", "DMARC", "https", "http", "service"} <= {
        subject for subject, (state, _) in checks.items() if state == "ok"}, checks
    server.wait_healthy()

    link = re.search(rf"https://{HOST}/\S+", setup.stdout)[0]
    assert server.status(link.removeprefix(server.url)) == 200
    exposure = server.run("systemd-analyze security pairspot | tail -1").stdout
    assert float(re.search(r"(\d\.\d)", exposure)[1]) <= 2.0, exposure
    owners = server.run("find /var/lib/pairspot ! -user pairspot; find / -xdev -user pairspot "
                        "! -path '/var/lib/pairspot*' ! -path '/var/backups/pairspot*' "
                        "! -path '/proc/*' ! -path '/tmp/*' ! -path '/var/tmp/*'").stdout
    assert not owners.strip(), owners
    diary.note("check of the setup")

    register_from_outside(server, playwright)
    diary.note("registration of a couple in a browser")

    server.run("systemctl reboot", check=False)
    time.sleep(10)
    server.wait()
    server.open_tunnel(2525, server.sink.port)
    server.wait_healthy()
    diary.note("reboot")

    ann = member(server)
    written = post_until(server, ann, server.cut_power)
    server.begin()
    server.wait_healthy()
    kept = ann.get("/").text
    assert written and all(text in kept for text in written[-8:]), written
    diary.note(f"power cut after {len(written)} posts, and start")

    server.put(packages[1], "/root/pairspot_1.0.1.deb")
    with Readers(server) as readers:
        said = server.run("apt-get install -y ./pairspot_1.0.1.deb").stdout
        time.sleep(5)
    assert "goes on with the old version" not in said
    assert readers.answers and set(readers.answers) == {200}, readers.answers
    diary.note(f"upgrade with {len(readers.answers)} requests meanwhile")

    refused = server.run("apt-get install -y --allow-downgrades ./pairspot_1.0.0.deb", check=False)
    assert refused.returncode != 0 and "cannot be downgraded" in refused.stdout + refused.stderr
    server.run("dpkg --configure -a", check=False)
    server.wait_healthy()

    server.run("systemctl start pairspot-backup && systemctl start pairspot-drill")
    assert "the drill passed" in server.run("journalctl -u pairspot-drill").stdout
    diary.note("backup and drill")
    ann.post("/posts", {"csrf_token": ann.token(), "content": "after the backup"})
    server.run(
        "systemctl stop pairspot && pairspot restore /var/backups/pairspot && "
        "systemctl start pairspot")
    server.wait_healthy()
    again = member(server)
    assert "after the backup" not in again.get("/").text and written[-1] in again.get("/").text
    diary.note("restore")

    remove, purge = commands("install.md", "Remove it")
    server.run(remove, given="y\n")
    assert server.run("ls /var/lib/pairspot/pairspot.sqlite").stdout
    assert server.status("/about") is None
    server.run("apt-get install -y ./pairspot_1.0.1.deb && pairspot setup", check=False)
    server.wait_healthy()
    server.run("echo pairspot pairspot/purge-data boolean true | debconf-set-selections")
    server.run(purge, given="y\n")
    left = server.run("ls -d /var/lib/pairspot /etc/pairspot.conf /var/backups/pairspot/*",
                      check=False).stdout.split()
    assert left and all(path.startswith("/var/backups/") for path in left), left
    diary.note("removal and purge")


def register_from_outside(server, playwright):
    browser = playwright.chromium.launch(
        executable_path="/usr/bin/chromium",
        args=["--no-sandbox",
              f"--host-resolver-rules=MAP {HOST}:443 127.0.0.1:{server.ports[443]}"])
    addresses = f"ann@{DOMAIN}", f"ben@{DOMAIN}"
    try:
        # The certificate is checked by `Connection`; a browser would need the authority installed.
        pages = [
            browser.new_context(base_url=server.url, ignore_https_errors=True, locale="en-GB")
            .new_page() for _ in addresses]
        for page in pages:
            page.set_default_timeout(120_000)
        register(pages[0], *addresses)
        for page, address, name in zip(pages, addresses, ("Ann", "Ben"), strict=True):
            come_in(page, link_in(server.mail_to(address)), name, "umbrella by the river")
        assert pages[1].locator("[data-composer]").count() == 1
    finally:
        browser.close()


def member(server):
    ann = Member(server)
    ann.sign_in(f"ann@{DOMAIN}", "umbrella by the river")
    return ann


def post_until(server, ann, end):
    """Writes posts, ends the machine in the midst of it, and returns those that were taken. There
    may be 30 an hour."""
    taken, token = [], ann.token()
    cut = threading.Timer(2, end)
    for number in range(28):
        if number == 8:
            cut.start()
        text = f"post number {number:02}"
        try:
            answer = ann.post("/posts", {"csrf_token": token, "content": text})
        except (OSError, http.client.HTTPException):
            break
        assert answer.status == 303, answer.text
        taken.append(text)
    cut.join()
    return taken


class Readers:
    """Two visitors who look at a page all the time."""

    def __init__(self, server):
        self.server = server
        self.answers = []
        self.is_over = False

    def read(self):
        while not self.is_over:
            self.answers.append(self.server.status("/about"))

    def __enter__(self):
        self.threads = [threading.Thread(target=self.read) for _ in range(2)]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        for thread in self.threads:
            thread.join()
