"""Commands of the operator at a running instance."""

import json
import re
import subprocess
import urllib.request

import pytest
from instance import PROGRAM
from people import Visitor
from test_pages import check


@pytest.fixture
def demo(own_site):
    return own_site(PAIRSPOT_DEMO="1", PAIRSPOT_REGISTRATION="invitation")


def run(site, *words):
    return subprocess.run(
        [PROGRAM, *words], env=site.environment, text=True, capture_output=True,
        stdin=subprocess.DEVNULL, timeout=60)


def answer(site, *words):
    found = run(site, *words, "--json")
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


def test_accounts_are_listed_changed_and_restored(demo):
    mei = answer(demo, "user", "find", "mei@example.test")[0]
    assert mei["role"] == "member" and mei["couple"]
    for words in [("admin", "role", "--email", "mei@example.test", "--role", "admin"),
                  ("user", "delete", "mei@example.test"),
                  ("admin", "suspend", "--user", "mei@example.test", "--days", "7", "--why", "x"),
                  ("sessions", "end", "--user", "mei@example.test")]:
        assert answer(demo, *words, "--dry-run")["dry_run"] is True
    assert answer(demo, "user", "find", "mei@example.test")[0] == mei
    change = answer(demo, "admin", "role", "--email", "mei@example.test", "--role", "admin")
    assert change["after"] == "admin" and change["link"].startswith(demo.url)
    refused = run(demo, "admin", "remove", "--email", "mei@example.test")
    assert refused.returncode == 1
    assert refused.stderr.splitlines() == [
        "Error: that is the only admin; make another one first"]
    answer(demo, "user", "delete", "jun@example.test")
    assert answer(demo, "user", "find", "jun@example.test")[0]["deleted_at"]
    answer(demo, "user", "restore", "jun@example.test")
    assert run(demo, "user", "find", "nora@example.test").returncode == 1


def test_an_export_is_written_to_a_file(demo, tmp_path):
    file = tmp_path / "mei.zip"
    told = answer(demo, "user", "export", "mei@example.test", str(file))
    assert file.stat().st_size == told["bytes"] > 1000
    assert subprocess.run(["unzip", "-tq", file], capture_output=True).returncode == 0


def test_groups_jobs_and_mails_are_listed(demo):
    group = answer(demo, "group", "list")[0]
    assert answer(demo, "group", "show", group["id"])["members"] >= 1
    assert "would be closed" in run(demo, "group", "end", group["id"], "--dry-run").stdout
    answer(demo, "group", "end", group["id"])
    assert group["id"] not in [other["id"] for other in answer(demo, "group", "list")]
    job = answer(demo, "jobs", "list")[0]
    assert job["kind"] and job["state"] in ("running", "due", "waiting")
    assert isinstance(answer(demo, "mail", "queue"), list)


def test_only_an_invitation_opens_registration(demo):
    stranger = Visitor(demo)
    assert stranger.get("/register").status == 403
    link = run(demo, "invite", "--days", "1").stdout.strip()
    assert re.fullmatch(re.escape(demo.url) + r"/register\?invitation=[\w-]+", link)
    invited = Visitor(demo)
    assert invited.get(link.removeprefix(demo.url)).location == "/register"
    assert invited.get("/register").status == 200
    with urllib.request.urlopen(demo.url) as front:
        assert b"by invitation" in front.read()


@pytest.mark.parametrize("mode", ["invitation", "closed"])
def test_a_visitor_reads_whose_site_it_is_and_that_registration_is_not_open(
        own_site, new_page, mode):
    site = own_site(
        PAIRSPOT_NAME="Radsportverein Linz 自行車俱樂部", PAIRSPOT_NOTE="For members. " * 20,
        PAIRSPOT_REGISTRATION=mode)
    page = new_page(locale="zh-TW")
    for path in ("/register", "/sign-in?guest=1", "/"):
        page.goto(site.url + path)
        check(page)
        assert page.locator("a[href^='/register']").count() == 0, path
    assert "Radsportverein" in page.get_by_test_id("instance-name").inner_text()
    assert page.get_by_test_id("instance-note").inner_text().startswith("For members.")
