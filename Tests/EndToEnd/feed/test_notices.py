"""Notices in a real browser: with and without scripts, and those shown by the service worker."""

import json
import re
import urllib.error
import urllib.request

import icalendar

from instance import wait_until
from phone import controlled
from test_pages import check, signed_in

# A test can't reach a push service; the page's use of one can be checked all the same.
BROWSER = """
const made = { endpoint: "https://fcm.googleapis.com/fcm/send/stand-in", options: {},
  unsubscribe: async () => { delete localStorage.subscribed; },
  toJSON: () => ({ endpoint: made.endpoint, keys: { auth: "BTBZMqHH6r4Tts7J_aSIgg",
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4" } }) };
PushManager.prototype.getSubscription = async () => (localStorage.subscribed ? made : null);
PushManager.prototype.subscribe = async (options) => {
  window.key = options.applicationServerKey;
  localStorage.subscribed = "yes";
  return made;
};
window.asked = 0;
window.answer = "granted";
Notification.requestPermission = async () => {
  window.asked += 1;
  if (window.answer === "granted") localStorage.allowed = "yes";
  return window.answer;
};
Object.defineProperty(Notification, "permission", {
  get: () => (localStorage.allowed ? "granted" : "default") });
"""


def test_likes_are_counted_in_the_header_and_read_without_scripts(site, mei, sam, new_page):
    link = mei.write("To be liked.").made
    sam.post(f"{link}/like", {"csrf_token": sam.token()})
    page = new_page(java_script_enabled=False)
    page.goto("/sign-in")
    page.locator("#email").fill("mei@example.test")
    page.locator("#password").fill(site.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    assert int(page.get_by_test_id("unread").inner_text()) >= 1
    page.get_by_role("link", name="Notifications").first.click()
    page.get_by_text("Sam liked your post").first.wait_for()
    assert page.locator("main noscript p").first.is_visible()
    assert page.locator("[data-push]").is_hidden()
    page.get_by_role("button", name="Mark all as read").click()
    page.get_by_text("All marked as read").wait_for()
    assert page.get_by_test_id("unread").count() == 0
    page.get_by_test_id("notice").first.click()
    assert page.url.endswith(link)


def test_push_is_asked_for_after_a_tap_and_turned_off_by_another(site, new_page):
    page = new_page()
    page.context.add_init_script(BROWSER)
    signed_in(page, site)
    page.goto("/notifications")
    button = page.get_by_role("button", name="Turn on")
    button.wait_for()
    assert page.evaluate("window.asked") == 0
    # Dismissed, the permission may be requested again.
    page.evaluate("window.answer = 'default'")
    button.click()
    wait_until(lambda: page.evaluate("window.asked") == 1, 5, "the question")
    page.evaluate("window.answer = 'granted'")
    button.click()
    page.get_by_role("button", name="Turn off").wait_for()
    assert page.evaluate("window.asked") == 2 and len(page.evaluate("window.key")) == 87
    page.reload()
    page.get_by_role("button", name="Turn off").click()
    button.wait_for()
    page.reload()
    button.wait_for()
    button.click()
    page.get_by_role("button", name="Turn off").wait_for()
    # The browser dropped it by itself: the page doesn't show it as on.
    page.evaluate("delete localStorage.subscribed")
    page.reload()
    button.wait_for()


def test_the_offer_of_push_explains_itself_on_an_iphone_and_can_be_closed(site, new_page):
    page = new_page()
    page.context.add_init_script(
        "delete window.PushManager;"
        "Object.defineProperty(navigator, 'standalone', { value: false });")
    signed_in(page, site)
    page.goto("/notifications")
    page.get_by_text("Choose “Add to Home Screen”").wait_for()
    check(page)
    page.get_by_role("button", name="Don’t offer this again").click()
    assert page.locator("[data-push]").count() == 0
    page.reload()
    assert page.locator("[data-push]").count() == 0
    page.goto("/settings/notifications")
    page.get_by_text("Choose “Add to Home Screen”").wait_for()


def test_a_notice_is_removed_by_its_menu_which_leads_to_the_switches_of_its_kind(
        site, mei, sam, new_page):
    link = mei.write("To be liked and forgotten.").made
    sam.post(f"{link}/like", {"csrf_token": sam.token()})
    page = new_page()
    signed_in(page, site)
    page.goto("/notifications")
    notices = page.get_by_test_id("notice")
    count = notices.count()
    menu = page.locator("li:has([data-testid=notice])").first.locator("details")
    menu.locator("summary").click()
    check(page)
    menu.get_by_role("link", name="Turn off notifications like this").click()
    page.wait_for_url("**/settings/notifications#post_liked")
    assert page.locator("tr:has(:target)").inner_text().startswith("Someone likes your post")
    page.goto("/notifications")
    menu.locator("summary").click()
    menu.get_by_role("button", name="Remove").click()
    page.get_by_text("Notification removed").wait_for()
    assert notices.count() == count - 1


def switch_of(page, kind, channel):
    return page.get_by_role("switch", name=f"{kind} {channel}", exact=True)


def test_switches_of_notifications_are_saved_at_once(site, new_page):
    page = new_page()
    signed_in(page, site, "sam@example.test")
    page.goto("/settings/notifications")
    page.get_by_role("button", name="Save", exact=True).wait_for(state="hidden")
    check(page)
    switch = switch_of(page, "Someone follows you", "Push")
    other = switch_of(page, "Someone follows you", "In the app")
    assert switch.is_checked() and other.is_checked()
    switch.click()
    page.get_by_test_id("toast").get_by_text("Saved").wait_for()
    page.reload()
    assert not switch.is_checked() and other.is_checked()
    page.get_by_role("button", name="Save", exact=True).wait_for(state="hidden")
    # Without a network nothing is saved, and the switch says so.
    page.context.set_offline(True)
    switch.click()
    page.locator("dialog").wait_for()
    assert not switch.is_checked()
    page.locator("dialog button").first.click()
    page.context.set_offline(False)
    switch.click()
    page.get_by_test_id("toast").get_by_text("Saved").wait_for()
    page.reload()
    assert switch.is_checked()


def test_switches_of_notifications_are_saved_by_a_button_without_scripts(site, new_page):
    page = new_page(java_script_enabled=False)
    page.goto("/sign-in?next=/settings/notifications")
    page.locator("#email").fill("sam@example.test")
    page.locator("#password").fill(site.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url("**/settings/notifications")
    switch = switch_of(page, "Anniversaries", "In the app")
    for wanted in [False, True]:
        switch.set_checked(wanted)
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_test_id("toast").get_by_text("Saved").wait_for()
        assert switch.is_checked() == wanted


def test_the_worker_shows_what_it_is_told_and_something_in_any_case(site, new_page):
    page = new_page()
    page.context.grant_permissions(["notifications"])
    controlled(page)
    devtools = page.context.new_cdp_session(page)
    found = set()
    devtools.on(
        "ServiceWorker.workerRegistrationUpdated",
        # Windows of other tests and instances, in the same browser, get the message, too.
        lambda event: found.update(
            one["registrationId"] for one in event["registrations"]
            if one["scopeURL"].startswith(site.url) and not one["isDeleted"]))
    devtools.send("ServiceWorker.enable")
    wait_until(lambda: page.evaluate('1') and found, 10, "the worker's registration")

    def deliver(data):
        for registration in sorted(found):
            devtools.send("ServiceWorker.deliverPushMessage", {
                "origin": site.url, "registrationId": registration, "data": data})

    def shown():
        return page.evaluate("""async () => (await (await navigator.serviceWorker.ready)
            .getNotifications()).map((one) => [one.title, one.body, one.data.url ?? ""])""")

    def delivered(data):
        # Chromium loses a notification that is queried while it is about to be shown: no query in
        # between, and if nothing is there, it is delivered again.
        deliver(data)
        page.wait_for_timeout(500)
        return shown()

    told = json.dumps(
        {"title": "PairSpot", "body": "Please check in.", "url": "/checkin", "tag": "a"})
    wait_until(
        lambda: ["PairSpot", "Please check in.", "/checkin"] in delivered(told), 20, "a notice")
    wait_until(
        lambda: ["PairSpot", "", ""] in delivered("no JSON at all"), 20, "a notice without words")


def test_the_calendar_behind_the_secret_link_is_one_that_others_read(site, new_page):
    page = new_page(java_script_enabled=False)
    page.goto("/sign-in")
    page.locator("#email").fill("jun@example.test")
    page.locator("#password").fill(site.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.goto("/settings/calendar")
    page.get_by_role("button", name=re.compile("Create")).click()
    link = page.get_by_test_id("calendar-link").input_value()
    with urllib.request.urlopen(link) as answer:
        assert answer.headers["Content-Type"] == "text/calendar; charset=utf-8"
        raw = answer.read()
    # RFC 5545, section 3.1: lines end with CR and LF only, and have 75 bytes at most.
    lines = raw.split(b"\r\n")
    assert lines[-1] == b"" and not any(set(b"\r\n") & set(line) for line in lines)
    assert all(0 < len(line) <= 75 for line in lines[:-1])
    calendar = icalendar.Calendar.from_ical(raw)
    assert calendar["VERSION"] == "2.0" and calendar["PRODID"] and not calendar.errors
    events = list(calendar.walk("VEVENT"))
    assert len(events) >= 40 and not any(event.errors for event in events)
    assert len({str(event["UID"]) for event in events}) == len(events)
    days = [event.decoded("DTSTART") for event in events]
    assert days == sorted(days)
    for event in events:
        assert (event.decoded("DTEND") - event.decoded("DTSTART")).days == 1
        assert event.decoded("DTSTAMP").utcoffset().total_seconds() == 0
    assert any("day 1,000" in str(event["SUMMARY"]) or "year" in str(event["SUMMARY"])
               for event in events)
    # Another link invalidates this one.
    page.goto("/settings/calendar")
    assert page.get_by_test_id("calendar-link").count() == 0
    page.get_by_role("link", name="Create new link").click()
    page.locator(".confirm .button-danger").click()
    other = page.get_by_test_id("calendar-link").input_value()
    assert other != link
    try:
        urllib.request.urlopen(link)
        raise AssertionError("the old link still shows something")
    except urllib.error.HTTPError as failure:
        assert failure.code == 404
    assert urllib.request.urlopen(other).status == 200
    page.get_by_role("link", name="Delete link").click()
    page.locator(".confirm .button-danger").click()
