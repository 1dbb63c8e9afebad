"""What contacts see and answer in an alert, exercises, timers and other signs, as on a phone: in
both themes, in three languages, with and without scripts."""

import contextlib
import re
import urllib.request

import pytest

from conftest import PHONE
from instance import wait_until
from missed_check_ins import ZONE, at, check_in, count, move, work
from people import Visitor
from test_check_in import KIN, words
from test_pages import check

PLAIN = {"PAIRSPOT_OUTAGE_GRACE": "0", "PAIRSPOT_NOW": at(1, "12:00")}
OTHER = "other@example.test"


@pytest.fixture
def alerted(own_site, browser):
    """An instance with an open alert about Nora, whose two contacts were told; and phones."""
    site = own_site(**PLAIN)
    nora = check_in(site, "Nora", KIN)
    answer = nora.post("/checkin/contacts", {
        "csrf_token": nora.token("/checkin/contacts"), "name": "Lin", "email": OTHER})
    assert answer.status == 303, answer.text
    answer = nora.post("/checkin/settings", {
        "csrf_token": nora.token("/checkin/settings"), "threshold_days": "2",
        "alert_time": "09:00", "reminder_time": "", "paused_until": "", "contact_language": "en",
        "contact_pause": "", "note": "", "sheet": "Keys: next door\nCat: Miso"})
    assert answer.status == 303, answer.text
    move(site, at(4, "09:05"))
    work(site, at(4, "09:05"))
    with contextlib.ExitStack() as stack:
        def phone(**options):
            context = stack.enter_context(browser.new_context(
                base_url=site.url, timezone_id=ZONE, **(PHONE | options)))
            context.set_default_timeout(20_000)
            return context.new_page()
        yield site, nora, phone


def link(site, to):
    mail = site.mail_to(to, "check-in")
    return re.search(rf"{re.escape(site.url)}/c/[\w-]+(?=\s)", words(mail))[0]


def test_contacts_see_what_to_do_and_each_others_answers(alerted):
    site, nora, phone = alerted
    first, second = phone(), phone()
    first.goto(link(site, KIN))
    assert first.locator(".contact-todo li").count() == 3
    check(first)
    # That it was looked at is reported by the page itself.
    wait_until(lambda: count(site, "alert_responses") == 1, 20, "the report")
    first.locator("button[value=looking]").click()
    first.get_by_text("We won’t alert anyone again for two hours").wait_for()
    check(first)
    second.goto(link(site, OTHER))
    assert "looking since" in second.get_by_test_id("progress").inner_text()
    assert KIN not in second.content()
    second.locator("button[value=sheet]").click()
    assert "Miso" in second.get_by_test_id("sheet").inner_text()
    check(second)
    second.locator("button[value=reached]").click()
    second.get_by_text("You told us on").wait_for()
    shown = nora.get("/checkin").text
    assert "reached them on" in shown and "looking since" in shown
    assert "Lin read your information sheet." in nora.get("/checkin/record").text


@pytest.mark.parametrize("locale, looking, sheet", [
    ("en-GB", "I’m looking for them", "information sheet"), ("zh-TW", "我正在找他們", "的資料"),
    ("zh-CN", "我正在找他们", "的资料")])
def test_it_works_without_scripts_in_each_language(alerted, locale, looking, sheet):
    site, _, phone = alerted
    page = phone(java_script_enabled=False, locale=locale)
    page.goto(link(site, KIN))
    page.get_by_role("button", name=looking).click()
    assert page.locator("button[value=looking]").count() == 0
    page.get_by_role("button", name=sheet).click()
    assert "Keys: next door" in page.get_by_test_id("sheet").inner_text()
    page.goto(link(site, KIN))
    page.locator("button[value=reached]").click()
    assert page.locator("button[value=reached]").count() == 0
    assert "contact_" not in page.content() and "{{" not in page.content()


def test_an_exercise_a_timer_and_an_address_for_calls(own_site, browser):
    site = own_site(PAIRSPOT_DEMO="1", PAIRSPOT_OUTAGE_GRACE="0", PAIRSPOT_NOW=at(1, "12:00"))
    mei = Visitor(site).sign_in("mei@example.test")
    check_in(site, "Mei", KIN, visitor=mei)
    with contextlib.closing(browser.new_context(
            base_url=site.url, **PHONE)) as context:
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.goto("/sign-in")
        page.locator("#email").fill("mei@example.test")
        page.locator("#password").fill(site.demo_password())
        page.get_by_role("button", name="Sign in", exact=True).click()
        page.wait_for_url("**/")

        page.goto("/checkin/contacts")
        page.locator("button[name=exercise][value=all]").click()
        page.get_by_text("no answer yet").first.wait_for()
        check(page)
        mail = site.mail_to(KIN, "Exercise")
        contact = context.new_page()
        contact.goto(re.search(rf"{re.escape(site.url)}/c/[\w-]+(?=\s)", words(mail))[0])
        check(contact)
        contact.locator("button[value=exercise]").click()
        contact.get_by_test_id("exercise").wait_for(state="detached")
        page.reload()
        page.get_by_text("Answered the exercise on").wait_for()

        page.goto("/checkin/timer")
        page.locator("#minutes").select_option("15")
        page.locator("#note").fill("To the river")
        page.locator("button[value=start]").click()
        page.get_by_text("Your timer runs until").wait_for()
        check(page)
        page.goto("/checkin")
        assert "To the river" in page.get_by_test_id("timer").inner_text()
        check(page)
        page.locator("button[value=extend]").click()
        page.locator("button[value=end]").click()
        page.get_by_test_id("timer").wait_for(state="detached")

        page.goto("/checkin/signs")
        page.locator("button[value=new-ping]").click()
        address = page.locator(".ping-address").inner_text()
        check(page)
        assert urllib.request.urlopen(urllib.request.Request(address, method="POST")).status == 204
        page.reload()
        page.locator("a[href$='ask=remove-ping']").click()
        page.get_by_role("heading", name="Remove the address?").wait_for()
        check(page)
        page.locator(".button-danger").click()
        page.locator("button[value=new-ping]").wait_for()


def test_a_removed_contact_comes_back_by_the_message_and_by_the_list(own_site, browser):
    site = own_site(PAIRSPOT_DEMO="1", PAIRSPOT_OUTAGE_GRACE="0", PAIRSPOT_NOW=at(1, "12:00"))
    check_in(site, "Mei", KIN, visitor=Visitor(site).sign_in("mei@example.test"))
    with contextlib.closing(browser.new_context(base_url=site.url, **PHONE)) as context:
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.goto("/sign-in")
        page.locator("#email").fill("mei@example.test")
        page.locator("#password").fill(site.demo_password())
        page.get_by_role("button", name="Sign in", exact=True).click()
        page.wait_for_url("**/")
        page.goto("/checkin/contacts")
        # Without the dialog, the question is a page of its own.
        path = page.locator("a[href$='/remove']").first.get_attribute("href")
        for restore in [
            lambda: page.get_by_test_id("toast").get_by_role("button", name="Undo").click(),
            lambda: page.get_by_test_id("removed-contacts").get_by_role("button").first.click(),
        ]:
            page.goto(path)
            page.locator(".confirm .button-danger").click()
            page.get_by_test_id("removed-contacts").wait_for()
            check(page)
            restore()
            page.get_by_test_id("removed-contacts").wait_for(state="detached")
            assert page.locator(f"a[href='{path}']").count() == 1
