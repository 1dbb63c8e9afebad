"""A disk that is full."""

import subprocess

import pytest


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 160 MB, where one may make one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("nobody may mount here")
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
