"""Full disks."""

import os
import subprocess

import pytest


def cannot_mount(run):
    """Skips a test that needs a mount. Root can mount: if it fails for root, the cause must be
    fixed, or no test of full disks would run."""
    reason = f"nobody may mount here: {run.stderr.decode(errors='replace').strip()}"
    if os.geteuid() == 0:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 160 MB, if it can be mounted."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        cannot_mount(mounted)
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def on(disk, own_site, **variables):
    """An instance with its data on a disk."""
    site = own_site(PAIRSPOT_DEMO="1", PAIRSPOT_DATA=str(disk / "var"), **variables)
    site.data = disk / "var"
    return site


def fill(file):
    """Writes a file until not one more page fits."""
    with open(file, "wb", buffering=0) as out:
        for piece in (1 << 20, 4096):
            try:
                while out.write(b"0" * piece) == piece:
                    pass
            except OSError:
                pass
