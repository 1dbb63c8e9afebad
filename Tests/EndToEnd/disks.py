"""A disk that is full."""

import os
import subprocess

import pytest


def cannot_mount(run):
    """Ends a test that needs a mount. Root may make one: what keeps root from it is to be mended, or
    all that is said of full disks is said of none."""
    reason = f"nobody may mount here: {run.stderr.decode(errors='replace').strip()}"
    if os.geteuid() == 0:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 160 MB, where one may make one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        cannot_mount(mounted)
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def on(disk, own_site, **variables):
    """An instance whose data lie on a disk."""
    site = own_site(PAIRSPOT_DEMO="1", PAIRSPOT_DATA=str(disk / "var"), **variables)
    site.data = disk / "var"
    return site


def fill(file):
    """Writes a file until not one page more fits."""
    with open(file, "wb", buffering=0) as out:
        for piece in (1 << 20, 4096):
            try:
                while out.write(b"0" * piece) == piece:
                    pass
            except OSError:
                pass
