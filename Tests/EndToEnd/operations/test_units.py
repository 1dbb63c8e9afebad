"""The units of systemd, read by systemd itself."""

import subprocess

import pytest
from instance import CHECKOUT, PROGRAM

UNITS = sorted((CHECKOUT / "deploy/systemd").glob("*.service")) + sorted(
    (CHECKOUT / "deploy/systemd").glob("*.timer"))
SERVICES = [path for path in UNITS if path.suffix == ".service"]


@pytest.fixture
def folder(tmp_path):
    for unit in UNITS:
        # systemd reports a program that doesn't exist.
        text = unit.read_text().replace("/usr/local/bin/pairspot", str(PROGRAM))
        (tmp_path / unit.name).write_text(text)
    return tmp_path


def test_systemd_understands_each_line(folder):
    run = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *folder.iterdir()],
        text=True, capture_output=True, timeout=60)
    assert run.returncode == 0 and not run.stderr, run.stderr


@pytest.mark.parametrize("unit", SERVICES, ids=lambda path: path.stem)
def test_exposure_is_at_most_two(folder, unit):
    run = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager",
         folder / unit.name], text=True, capture_output=True, timeout=60)
    assert run.returncode == 0, run.stdout[-300:] + run.stderr
