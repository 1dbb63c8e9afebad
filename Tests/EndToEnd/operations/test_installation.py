"""`make install`: the files, and the installed program."""

import gzip
import os
import pwd
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from instance import CHECKOUT, PROGRAM


@pytest.fixture(scope="module")
def root():
    """A folder that every user may read, with an installation below it."""
    folder = Path(tempfile.mkdtemp(dir="/var/tmp", prefix="pairspot-"))
    folder.chmod(0o755)
    subprocess.run(
        [CHECKOUT / "deploy/scripts/install.sh"], check=True, timeout=120,
        env=os.environ | {"DESTDIR": str(folder), "PREFIX": "/usr", "PROGRAM": str(PROGRAM)})
    yield folder
    shutil.rmtree(folder)


def test_everything_has_its_place_and_is_readable_by_all(root):
    for path in [
        "usr/bin/pairspot", "usr/libexec/pairspot/pairspot-pictures",
        "usr/share/pairspot/templates/locales/en.json",
        "usr/share/pairspot/public/sw.js",
        "usr/share/pairspot/deploy/nginx/pairspot.conf.template",
        "usr/share/bash-completion/completions/pairspot",
        "usr/share/zsh/vendor-completions/_pairspot",
        "usr/share/fish/vendor_completions.d/pairspot.fish",
        "usr/lib/sysusers.d/pairspot.conf", "usr/lib/tmpfiles.d/pairspot.conf",
        "lib/systemd/system/pairspot.service", "lib/systemd/system/pairspot-backup.timer",
    ]:
        assert (root / path).stat().st_size > 0, path
    for path in root.rglob("*"):
        assert path.stat().st_mode & 0o005 >= (5 if path.is_dir() else 4), path
        assert path.stat().st_mode & 0o022 == 0, path


def test_units_start_the_installed_program(root):
    for unit in (root / "lib/systemd/system").glob("*.service"):
        programs = re.findall(r"^Exec\w+=(\S+)", unit.read_text(), re.M)
        assert programs and set(programs) == {"/usr/bin/pairspot"}, unit


def test_the_manual_names_each_command_and_each_setting(root):
    commands = gzip.open(root / "usr/share/man/man1/pairspot.1.gz", "rt").read()
    for words in ["setup", "serve", "admin create", "mail test", "certificate renew"]:
        assert f".SS pairspot {words}".replace("-", "\\-") in commands
    settings = gzip.open(root / "usr/share/man/man5/pairspot.conf.5.gz", "rt").read()
    documented = (CHECKOUT / "docs/operator/settings.md").read_text()
    for name in re.findall(r"^\| `(\w+)`", documented, re.M):
        assert f".B {name}\n" in settings, name


@pytest.mark.sqlite("it asks for the owner of the database's file")
def test_a_command_of_root_writes_as_the_user_who_owns_the_data(root):
    if os.geteuid() != 0:
        pytest.skip("not root")
    nobody = pwd.getpwnam("nobody")
    data = root / "var/lib/pairspot"
    data.mkdir(parents=True)
    os.chown(data, nobody.pw_uid, nobody.pw_gid)
    settings = root / "pairspot.conf"
    settings.write_text(
        f"PAIRSPOT_DATA={data}\nPAIRSPOT_BASE_URL=https://pairspot.invalid\n"
        "FROM_EMAIL=hello@pairspot.invalid\nSMTP_HOST=127.0.0.1\n")
    run = subprocess.run(
        [root / "usr/bin/pairspot", "migrate"], env={"PAIRSPOT_CONFIG": str(settings)}, text=True,
        capture_output=True, stdin=subprocess.DEVNULL, cwd="/", timeout=60)
    assert run.returncode == 0, run.stderr
    files = list(data.rglob("*"))
    assert (data / "pairspot.sqlite") in files
    assert {path.stat().st_uid for path in files} == {nobody.pw_uid}
