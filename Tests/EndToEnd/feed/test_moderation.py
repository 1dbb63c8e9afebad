"""Reports decided with keyboard and touch, the audit log, and the view of a suspended user."""

import re
import threading

import pytest

import pictures
from people import Visitor
from test_pages import check, signed_in, wait_for_script
from test_trainings import as_admin, enrolled

REASONS = ["spam", "harassment", "nudity", "violence", "false_information"]


@pytest.fixture
def house(own_site):
    """An instance of its own, with demo data."""
    return own_site(PAIRSPOT_DEMO="1")


def person(site, name):
    return Visitor(site).sign_in(f"{name}@example.test")


def reported(site, count, author="sam", reporter="mei"):
    """Posts of one user reported by another."""
    writer, reader = person(site, author), person(site, reporter)
    posts = []
    for number in range(count):
        files = [("a.png", pictures.png_bytes())] if number % 4 == 0 else []
        post = writer.write(f"Reported number {number}.", files=files).made
        fields = {"csrf_token": reader.token(f"{post}/report"),
                  "reason": REASONS[number % len(REASONS)], "note": ""}
        assert reader.post(f"{post}/report", fields).status == 303
        posts.append(post)
    return posts


def waiting(admin):
    return int(re.search(r"(\d+) waiting for", admin.get("/admin/reports").text)[1])


def actions(admin):
    """Actions in the log, latest first, except role changes."""
    found = re.findall(r"setting-words\"><p><b>([^<]+)</b>", admin.get("/admin/log").text)
    return [action for action in found if action != "Changed a role"]


def case_of(admin, words):
    """The case of the post with these words; the queue beside each case shows others' words."""
    for case in re.findall(r'href="(/admin/reports/[0-9a-f-]{36})" data-testid="report"',
                           admin.get("/admin/reports").text):
        if words in admin.get(case).text.split("admin-case", 1)[1]:
            return case
    raise AssertionError(f"no report on {words!r}")


# The number of reports is that of an evening in the long tests.
EVENING = pytest.mark.parametrize("reports", [6, pytest.param(20, marks=pytest.mark.long)])


@EVENING
def test_reports_by_keyboard_on_a_desktop(house, browser, reports):
    posts = reported(house, reports)
    admin = enrolled(house, "ada")
    before = waiting(admin)
    assert before >= reports
    context = browser.new_context(
        base_url=house.url, viewport={"width": 1280, "height": 800}, locale="en-GB",
        reduced_motion="reduce")
    page = as_admin(context.new_page(), admin)
    page.goto("/admin/reports")
    check(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    names = {"1": "Dismissed", "2": "Hid", "3": "Removed", "4": "Warned"}
    pressed = []
    for number in range(reports):
        # The first report is open beside the queue; J opens the next one.
        page.locator(".admin-case").wait_for()
        wait_for_script(page, "staff/admin-list.js")
        wait_for_script(page, "staff/admin-decide.js")
        if number == 0:
            page.keyboard.press("j")
            page.wait_for_url("**/admin/reports/*")
            check(page)
            page.set_viewport_size({"width": 1280, "height": 800})
            page.goto("/admin/reports")
            wait_for_script(page, "staff/admin-list.js")
            wait_for_script(page, "staff/admin-decide.js")
            assert page.locator(".staff-rail").is_visible()
            assert page.locator("button[data-act]").is_disabled()
        key = "1234"[number % 4]
        page.keyboard.press(key)
        acts = {"1": "Dismiss the report", "2": "Hide the post", "3": "Remove the post",
                "4": "Send the warning"}
        assert page.locator("button[data-act]").inner_text() == acts[key]
        page.keyboard.press("n")
        page.keyboard.type(f"By key {number}")
        with page.expect_navigation():
            page.keyboard.press("Control+Enter")
        page.get_by_test_id("queue").or_(page.locator(".empty")).wait_for()
        pressed.append(names[key])
    assert waiting(admin) == before - reports
    assert actions(admin)[:reports] == pressed[::-1]
    sam = person(house, "mei")
    seen = [sam.get(post).status for post in posts]
    assert set(seen) <= {200, 404} and 404 in seen
    context.close()


@EVENING
def test_reports_by_thumb_on_a_phone(house, browser, reports):
    reported(house, reports)
    admin = enrolled(house, "ada")
    before = waiting(admin)
    context = browser.new_context(
        base_url=house.url, viewport={"width": 390, "height": 844}, device_scale_factor=2,
        is_mobile=True, has_touch=True, locale="en-GB", reduced_motion="reduce")
    page = as_admin(context.new_page(), admin)
    for number in range(reports):
        page.goto("/admin/reports")
        page.get_by_test_id("report").first.tap()
        page.locator(".admin-case").wait_for()
        veil = page.locator(".veil")
        if veil.count():
            blur = "element => getComputedStyle(element).filter"
            assert "blur" in veil.locator("img").first.evaluate(blur)
            veil.first.tap()
            assert veil.locator("img").first.evaluate(blur) == "none"
        choice = page.locator(".choice").nth(number % 4)
        choice.tap()
        page.locator("#note").fill(f"By thumb {number}")
        button = page.locator("button[data-act]")
        box = button.bounding_box()
        assert box["height"] >= 44 and box["y"] + box["height"] <= 844, box
        button.tap()
        page.wait_for_url("**/admin/reports")
    assert waiting(admin) == before - reports
    page.goto("/admin/reports?state=hidden")
    check(page)
    page.goto("/admin/log")
    check(page)
    context.close()


def test_every_page_of_staff_is_open_to_everybody(house, browser):
    reported(house, 2)
    admin = enrolled(house, "ada")
    context = browser.new_context(
        base_url=house.url, viewport={"width": 390, "height": 844},
        locale="en-GB", reduced_motion="reduce")
    page = as_admin(context.new_page(), admin)
    paths = ["", "/reports", "/users?q=m", "/couples?q=m", "/log", "/health"]
    for found in ("users", "couples"):
        text = admin.get(f"/admin/{found}?q=M").text
        paths.append(re.search(rf'/admin(/{found}/[0-9a-f-]{{36}})"', text)[1])
        if found == "users":
            paths.append(f"{paths[-1]}/role")
    one = re.search(r'/admin(/reports/[0-9a-f-]{36})"', admin.get("/admin/reports").text)[1]
    for path in [*paths, one]:
        page.goto(f"/admin{path}")
        check(page)
    page.goto(f"/admin{one}")
    wait_for_script(page, "staff/admin-decide.js")
    page.locator(".choice").nth(1).click()
    page.get_by_role("button", name="Hide the post").click()
    page.get_by_test_id("error-summary").wait_for()
    check(page)
    context.close()


def test_a_decision_is_undone_with_a_ready_made_reason(house, browser):
    post = reported(house, 1)[0]
    admin = enrolled(house, "ada")
    context = browser.new_context(
        base_url=house.url, viewport={"width": 1280, "height": 800}, locale="en-GB",
        reduced_motion="reduce")
    page = as_admin(context.new_page(), admin)
    page.goto(case_of(admin, "Reported number 0."))
    wait_for_script(page, "staff/admin-decide.js")
    veil = page.locator(".veil").first
    assert veil.bounding_box()["width"] == 120
    veil.click()
    assert veil.bounding_box()["width"] > 300
    page.get_by_label("Ready-made reason").select_option("spam")
    assert page.locator("#note").input_value().startswith("This is advertising")
    page.locator(".choice").nth(2).click()
    page.get_by_role("button", name="Remove the post").click()
    toast = page.get_by_test_id("toast")
    assert "Removed. Sam has been told." in toast.inner_text()
    assert person(house, "mei").get(post).status == 404
    toast.get_by_role("button", name="Undo").click()
    page.wait_for_url("**/admin/reports/*")
    assert person(house, "mei").get(post).status == 200
    assert actions(admin)[:2] == ["Took back a decision", "Removed"]
    context.close()


def test_two_moderators_and_one_report(house, browser):
    reported(house, 1, author="mei", reporter="sam")
    ada, bob = enrolled(house, "ada"), enrolled(house, "bob")
    path = re.search(
        r'href="(/admin/reports/[0-9a-f-]{36})"', ada.get("/admin/reports").text)[1]
    form = ada.get(path).form(path), bob.get(path).form(path)
    first = ada.post(path, form[0] | {"decision": "hide", "note": "Advertising"})
    assert first.status == 303
    second = bob.post(path, form[1] | {"decision": "remove", "note": "Gone"})
    assert second.status == 409
    assert "Ada already decided" in second.text and "Gone" in second.text
    assert actions(ada) == ["Hid"]


def test_two_moderators_at_the_same_moment_many_times(house):
    rounds = 20
    reported(house, rounds)
    staff = [enrolled(house, "ada"), enrolled(house, "bob")]
    decisions = ["dismiss", "hide", "remove", "warn"]
    done = {"dismiss": "Dismissed", "hide": "Hid", "remove": "Removed", "warn": "Warned"}
    expected = []
    for number in range(rounds):
        path = case_of(staff[0], f"Reported number {number}.")
        forms = [person.get(path).form(path) for person in staff]
        chosen = [decisions[number % 4], decisions[(number + 1 + number // 4) % 4]]
        answers = [None, None]
        start = threading.Barrier(2)

        def decide(who):
            start.wait()
            answers[who] = staff[who].post(
                path, forms[who] | {"decision": chosen[who], "note": f"Round {number} of {who}"})

        threads = [threading.Thread(target=decide, args=(who,)) for who in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answer.status for answer in answers) == [303, 409]
        first = next(who for who in range(2) if answers[who].status == 303)
        names = {"dismiss": "Dismiss", "hide": "Hide", "remove": "Remove", "warn": "Warn"}
        told = f"{['Ada', 'Bob'][first]} already decided “{names[chosen[first]]}”"
        assert told in answers[1 - first].text
        # The second moderator's input is kept.
        assert f"Round {number} of {1 - first}" in answers[1 - first].text
        expected.append(done[chosen[first]])
    assert actions(staff[0])[:rounds] == expected[::-1]


@pytest.mark.parametrize("language", ["en", "zh-Hant", "zh-Hans"])
def test_without_javascript_in_every_language(house, browser, language):
    reported(house, 2)
    admin = enrolled(house, "ada")
    before = waiting(admin)
    fields = {"csrf_token": admin.token("/admin/log"), "language": language}
    assert admin.post("/language", fields).status == 303
    context = browser.new_context(
        base_url=house.url, viewport={"width": 390, "height": 844}, java_script_enabled=False)
    page = as_admin(context.new_page(), admin)
    person_page = re.search(r'/admin/users/[0-9a-f-]{36}', admin.get("/admin/users?q=M").text)[0]
    for path in ["/admin", "/admin/reports", "/admin/log", "/admin/health", "/admin/users",
                 "/admin/couples", person_page, f"{person_page}/role"]:
        assert page.goto(path).status == 200
        text = page.inner_text("main")
        for quoted in page.locator(".admin-text").all_inner_texts():
            # What people wrote is in whatever language they wrote it.
            text = text.replace(quoted, "")
        # A key without a text would be shown itself.
        assert not re.search(r"\b(admin|report|own_decisions)\.[a-z_]+", text)
        if language != "en":
            assert not re.search(r"(?i)\b(?:the|and|for|of|report|decide|before)\b", text), text
    page.goto("/admin/reports")
    page.get_by_test_id("report").first.click()
    page.locator("[name=decision][value=suspend]").check()
    page.locator(".admin-form .button-large").last.click()
    page.get_by_test_id("error-summary").wait_for()
    page.locator("[name=decision][value=hide]").check()
    page.locator("#note").fill("No")
    page.locator(".admin-form .button-large").last.click()
    page.wait_for_url("**/admin/reports")
    admin.post("/language", fields | {"language": "en"})
    assert waiting(admin) == before - 1
    context.close()


def test_a_suspended_persons_day(house, browser, new_page):
    post = reported(house, 1)[0]
    admin = enrolled(house, "ada")
    mine = case_of(admin, "Reported number 0")
    form = admin.get(mine).form(mine)
    fields = {"decision": "suspend", "until": "7", "note": "Advertising again and again"}
    assert admin.post(mine, form | fields).status == 303

    context = browser.new_context(
        base_url=house.url, viewport={"width": 390, "height": 844}, locale="en-GB",
        reduced_motion="reduce")
    page = context.new_page()
    page.goto("/sign-in")
    page.locator("#email").fill("sam@example.test")
    page.locator("#password").fill(house.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_text("You’re suspended").wait_for()
    assert page.locator("[data-composer]").count() == 0
    check(page)

    sam = person(house, "sam")
    answer = sam.post("/posts", {"csrf_token": sam.token("/settings/language"),
                                 "content": "Hello", "visibility": "public"})
    assert answer.status == 403 and "Advertising again and again" in answer.text
    assert person(house, "mei").get(post).status == 404

    page.goto("/settings/decisions")
    page.get_by_text("Advertising again and again").first.wait_for()
    check(page)
    page.get_by_label("Disagree? You can appeal once.").fill("It was a joke.")
    page.get_by_role("button", name="Appeal").click()
    page.get_by_text("A moderator will review your appeal.").wait_for()
    assert "It was a joke." in admin.get(mine).text

    for open_path in ["/checkin", "/album", "/settings/export", "/settings/delete"]:
        assert sam.get(open_path).status == 200
    form = admin.get(mine).form(mine)
    assert admin.post(mine, form | {"decision": "dismiss", "note": "True"}).status == 303
    assert sam.write("Back again.").status == 303
    context.close()


def test_reporting_and_blocking_on_a_phone(house, browser):
    post = person(house, "sam").write("Look at this.").made
    context = browser.new_context(
        base_url=house.url, viewport={"width": 390, "height": 844}, locale="en-GB",
        reduced_motion="reduce")
    page = context.new_page()
    signed_in(page, house)
    page.goto(post)
    page.locator(".post-more summary").click()
    page.get_by_role("link", name="Report").click()
    page.get_by_role("button", name="Send report").click()
    page.get_by_test_id("error-summary").wait_for()
    check(page)
    page.get_by_text("Harassment").click()
    assert not page.locator("#note").is_visible()
    page.get_by_role("button", name="Send report").click()
    page.wait_for_url(f"**{post}")
    assert page.get_by_test_id("toast").get_by_role("button", name="Undo").is_visible()
    page.goto("/settings/reports")
    page.get_by_text("Waiting for a moderator").first.wait_for()
    check(page)
    page.goto(post)
    # It is folded for its reporter.
    page.get_by_text("Show post").click()
    page.locator(".post-name a").click()
    page.locator(".profile-more summary").click()
    check(page)
    page.get_by_role("link", name="Block").click()
    page.get_by_role("button", name="Block").wait_for()
    check(page)
    page.get_by_role("button", name="Block").click()
    page.wait_for_url("**/settings/blocks")
    check(page)
    assert page.goto(post).status == 404
    page.goto("/settings/blocks")
    page.get_by_role("button", name=re.compile("Unblock")).click()
    page.get_by_text("No blocked couples").wait_for()
    assert page.goto(post).status == 200
    context.close()
