"""The nightly backup and the weekly drill by systemd (`deploy/systemd`), as far as it can be tested without systemd."""

import configparser
import subprocess
import time

import pytest

from instance import CHECKOUT, PROGRAM, Instance

UNITS = CHECKOUT / "deploy/systemd"
SERVICE, TIMER = UNITS / "pairspot-backup.service", UNITS / "pairspot-backup.timer"
DRILL, DRILL_TIMER = UNITS / "pairspot-drill.service", UNITS / "pairspot-drill.timer"
SHELF = "/var/backups/pairspot"


def read(path):
    # Not strict: a filter of system calls has several lines.
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str
    unit.read(path)
    return unit


def night(site, shelf, folder, unit=SERVICE):
    """Runs the service's command with only the unit's environment, on other paths."""
    service = read(unit)["Service"]
    name, path = service["Environment"].split("=")
    assert (name, path) == ("PAIRSPOT_CONFIG", "/etc/pairspot.conf")
    settings = folder / "pairspot.conf"
    settings.write_text("".join(
        f"{name}={value}\n" for name, value in site.environment.items()
        if name.startswith("PAIRSPOT_")))
    program, *words = service["ExecStart"].split()
    assert program == "/usr/local/bin/pairspot"
    return subprocess.run(
        [PROGRAM, *(str(shelf) if word == SHELF else word for word in words)],
        env={name: str(settings)}, cwd="/", umask=int(service["UMask"], 8), text=True,
        capture_output=True, stdin=subprocess.DEVNULL, timeout=120)


def test_the_command_of_the_unit_makes_a_backup_and_keeps_of_each_day_the_last(own_site, tmp_path):
    site, shelf = own_site(PAIRSPOT_DEMO="1"), tmp_path / "shelf"
    for _ in range(2):
        run = night(site, shelf, tmp_path)
        assert run.returncode == 0, run.stdout + run.stderr
        # Backups are named by their second.
        time.sleep(1.1)
    kept = {path.name for path in shelf.glob("*Z")}
    # Both, if it was midnight in between.
    assert len(kept) == len({name[:8] for name in kept}) > 0
    assert shelf.stat().st_mode & 0o077 == 0
    last = max(shelf.glob("*Z"))
    (tmp_path / "new").mkdir()
    found = subprocess.run(
        [PROGRAM, "restore", last], env=Instance(tmp_path / "new").environment, text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
    assert found.returncode == 0, found.stdout + found.stderr


def test_a_backup_that_fails_fails_the_unit(own_site, tmp_path):
    site, shelf = own_site(), tmp_path / "shelf"
    shelf.write_text("a file where the folder should be")
    run = night(site, shelf, tmp_path)
    assert run.returncode != 0 and len(run.stderr.strip().splitlines()) == 1, run.stderr


def test_the_command_of_the_drill_tries_the_last_backup_and_fails_the_unit_if_it_is_changed(
        own_site, tmp_path):
    site, shelf = own_site(PAIRSPOT_DEMO="1"), tmp_path / "shelf"
    assert night(site, shelf, tmp_path).returncode == 0
    run = night(site, shelf, tmp_path, DRILL)
    assert run.returncode == 0 and "the drill passed" in run.stdout, run.stdout + run.stderr
    with next(shelf.glob("*Z/secrets/keys.json")).open("a") as file:
        file.write(" ")
    run = night(site, shelf, tmp_path, DRILL)
    assert run.returncode == 1 and "differs from the manifest" in run.stderr, run.stderr
    assert not list(shelf.glob("*.drill"))


@pytest.mark.parametrize("path", [SERVICE, DRILL])
def test_what_the_unit_may_write_is_the_data_and_the_backups(path):
    unit = read(path)
    assert unit["Service"]["ProtectSystem"] == "strict"
    assert unit["Service"]["ReadWritePaths"].split() == ["/var/lib/pairspot", SHELF]
    assert unit["Unit"]["RequiresMountsFor"].split() == ["/var/lib/pairspot", SHELF]


def test_the_drill_is_as_confined_as_the_backup():
    one, other = (dict(read(path)["Service"]) for path in (SERVICE, DRILL))
    del one["ExecStart"], other["ExecStart"]
    assert one == other


def test_the_timer_goes_off_once_a_day_of_utc_and_makes_up_for_what_it_slept_through():
    timer = read(TIMER)["Timer"]
    assert timer["OnCalendar"] == "*-*-* 02:30:00 UTC" and timer["Persistent"] == "yes"


def test_the_timer_of_the_drill_goes_off_once_a_week_after_the_backup():
    timer = read(DRILL_TIMER)["Timer"]
    assert timer["OnCalendar"] == "Sun *-*-* 04:00:00 UTC" and timer["Persistent"] == "yes"
