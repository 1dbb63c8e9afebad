"""The Debian package, made of the program under test."""

import fcntl
import os
import re
import shutil
import subprocess

import pytest
from instance import CHECKOUT, PROGRAM


def run(*words, **more):
    return subprocess.run(words, text=True, capture_output=True, timeout=600, **more)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """Made once for all processes of this run."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with (folder / "package.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not list(folder.glob("pairspot_*.deb")):
            made = run(
                CHECKOUT / "deploy/scripts/make-deb.sh", env=os.environ | {"PROGRAM": str(PROGRAM)})
            assert made.returncode == 0, made.stderr
            shutil.copy(CHECKOUT / made.stdout.strip(), folder)
    return next(folder.glob("pairspot_*.deb"))


@pytest.fixture(scope="module")
def script(package, tmp_path_factory):
    """Runs a script of the package as dpkg does, where nothing is installed."""
    folder = tmp_path_factory.mktemp("control")
    run("dpkg-deb", "--control", package, folder, check=True)

    def call(name, *words):
        return run(
            folder / name, *words, env=os.environ | {
                "DPKG_MAINTSCRIPT_PACKAGE": "pairspot", "DPKG_MAINTSCRIPT_NAME": name})
    return call


def test_lintian_finds_nothing(package):
    # Only a debug build looks for Swift's libraries beside the toolchain.
    hidden = [] if PROGRAM.parts[-2] == "release" else ["custom-library-search-path"]
    found = run(
        "lintian", "--allow-root", "--fail-on", "error,warning", "--suppress-tags",
        ",".join(hidden), package)
    assert found.returncode == 0, found.stdout


def test_it_depends_on_packages_of_debian_alone(package):
    field = run("dpkg-deb", "--field", package, "Depends").stdout
    names = {re.split(r"[ (|]", name)[0] for name in field.strip().split(", ")}
    assert {"nginx", "libfcgi0ldbl", "libsqlite3-0", "openssl"} <= names
    for name in names:
        assert run("dpkg-query", "--show", name).returncode == 0, name


def test_a_downgrade_is_refused_with_a_way_back(script):
    # The arguments as in Debian's policy, section 6.5.
    refused = script("preinst", "upgrade", "1.3.0", "1.2.0")
    assert refused.returncode == 1 and "pairspot restore" in refused.stderr
    for words in [("install",), ("install", "1.3.0", "1.2.0"), ("upgrade", "1.2.0", "1.2.0"),
                  ("upgrade", "1.2.0~dev+2026", "1.2.0"), ("upgrade", "1.1.9", "1.2.0")]:
        assert script("preinst", *words).returncode == 0, words


def test_a_build_of_a_commit_is_older_than_its_release(package):
    version = run("dpkg-deb", "--field", package, "Version").stdout.strip()
    release = version.partition("~")[0]
    assert run("dpkg", "--compare-versions", version, "lt", release).returncode == 0
