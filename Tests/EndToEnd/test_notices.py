"""Notices in a real browser: with and without scripts, and what the service worker shows."""

import json

from instance import wait_until
from phone import controlled
from test_pages import signed_in

# A push service can't be reached from a test; what the page does with one can be seen all the same.
BROWSER = """
const made = { endpoint: "https://fcm.googleapis.com/fcm/send/stand-in", options: {},
  unsubscribe: async () => { delete window.subscribed; },
  toJSON: () => ({ endpoint: made.endpoint, keys: { auth: "BTBZMqHH6r4Tts7J_aSIgg",
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4" } }) };
PushManager.prototype.getSubscription = async () => window.subscribed;
PushManager.prototype.subscribe = async (options) => {
  window.key = options.applicationServerKey;
  return window.subscribed = made;
};
window.asked = 0;
Notification.requestPermission = async () => { window.asked += 1; return "granted"; };
"""


def test_likes_are_counted_in_the_header_and_read_without_scripts(site, mei, sam, new_page):
    link = mei.write("To be liked.").location
    sam.post(f"{link}/like", {"csrf_token": sam.token()})
    page = new_page(java_script_enabled=False)
    page.goto("/sign-in")
    page.locator("#email").fill("mei@example.test")
    page.locator("#password").fill(site.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    assert int(page.get_by_test_id("unread").inner_text()) >= 1
    page.get_by_role("link", name="Notices").first.click()
    page.get_by_text("Sam liked your post").first.wait_for()
    assert page.locator("main noscript p").first.is_visible()
    assert page.locator("[data-push]").is_hidden()
    page.get_by_role("button", name="Mark all read").click()
    page.get_by_text("All read").wait_for()
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
    button.click()
    page.get_by_role("button", name="Turn off").wait_for()
    assert page.evaluate("window.asked") == 1 and len(page.evaluate("window.key")) == 87
    page.reload()
    page.evaluate("() => { window.subscribed = { endpoint: 'https://fcm.googleapis.com/fcm/send/stand-in', unsubscribe() {} }; }")
    page.get_by_role("button", name="Turn off").click()
    page.get_by_role("button", name="Turn on").wait_for()
    page.reload()
    page.get_by_role("button", name="Turn on").wait_for()


def test_the_worker_shows_what_it_is_told_and_something_in_any_case(site, new_page):
    page = new_page()
    page.context.grant_permissions(["notifications"])
    controlled(page)
    devtools = page.context.new_cdp_session(page)
    found = []
    devtools.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: found.extend(one["registrationId"] for one in event["registrations"]))
    devtools.send("ServiceWorker.enable")
    wait_until(lambda: page.evaluate('1') and found, 10, "the worker's registration")

    def deliver(data):
        devtools.send("ServiceWorker.deliverPushMessage", {
            "origin": site.url, "registrationId": found[0], "data": data})

    def shown():
        return page.evaluate("""async () => (await (await navigator.serviceWorker.ready)
            .getNotifications()).map((one) => [one.title, one.body, one.data.url ?? ""])""")

    told = {"title": "PairSpot", "body": "Please check in.", "url": "/checkin", "tag": "a"}
    deliver(json.dumps(told))
    wait_until(lambda: ["PairSpot", "Please check in.", "/checkin"] in shown(), 10, "a notice")
    deliver("no JSON at all")
    wait_until(lambda: ["PairSpot", "", ""] in shown(), 10, "a notice without words")
