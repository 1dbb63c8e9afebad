"""Checking in without a network: stored on the phone, sent once, for the right user."""

import os
import signal
import time

import pytest

from conftest import PHONE, parted
from instance import wait_until
from phone import controlled, outbox, told

SAVED = "Saved on this phone. It will be sent when you’re online."
NO_LOCKS = "Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined });"
NO_STORAGE = "IDBFactory.prototype.open = () => { throw new DOMException('no', 'UnknownError'); };"
INSTALLED = """const real = matchMedia;
window.matchMedia = (words) => words === "(display-mode: standalone)"
  ? { matches: true, addEventListener() {} } : real(words);"""


@pytest.fixture
def phone(own_site, browser):
    """An instance, and a phone with a new guest who can check in."""
    site = own_site(PAIRSPOT_DEMO="1")
    contexts = []

    def make(**options):
        context = browser.new_context(base_url=site.url, **(PHONE | options))
        context.set_default_timeout(20_000)
        contexts.append(context)
        return context

    yield Phone(site, make)
    for context in contexts:
        parted(context)


class Phone:
    def __init__(self, site, make):
        self.site = site
        self.make = make
        self.context = make()
        self.page = begin(self.context.new_page())

    def check_ins(self):
        """Every check-in: whether each was sent later."""
        return [bool(row[0]) for row in self.site.sql("SELECT is_offline FROM check_ins")]

    def taps_received(self):
        log = (self.site.data / "logs/requests.log").read_text()
        return log.count('"route":"POST /checkin"') - 1  # the first one saved name and contact

    def tap_offline(self):
        self.context.set_offline(True)
        tap(self.page)
        self.page.get_by_text(SAVED).wait_for()
        assert len(outbox(self.page)) == 1


def begin(page, name="Nora"):
    """Makes a guest who could check in, and has not yet."""
    page.goto("/checkin")
    page.locator("#display_name").fill(name)
    page.locator("#contact_email").fill("kin@example.test")
    page.locator("button[name=button][value=save]").click()
    page.locator("body[data-user]").wait_for()
    controlled(page, "/checkin")
    page.locator("[data-checkin-state][data-state=ready]").wait_for()
    wait_until(lambda: told(page, "check-in"), 10, "what the page without a network knows")
    return page


def tap(page):
    page.get_by_test_id("check-in-button").click()


def done(page):
    page.locator("[data-checkin-state][data-state=done]").wait_for(timeout=30_000)


def test_a_tap_without_a_network_is_kept_and_sent_once(phone):
    page = phone.page
    phone.tap_offline()
    page.reload()
    page.locator("[data-checkin-shell][data-state=waiting]").wait_for()
    assert "Nora" in page.locator("main h2").inner_text()
    tap(page)
    page.get_by_text("is already saved on this phone").wait_for()
    assert len(outbox(page)) == 1
    assert phone.taps_received() == 0
    phone.context.set_offline(False)
    done(page)
    wait_until(lambda: outbox(page) == [], 10, "an empty outbox")
    assert phone.check_ins() == [True]
    assert phone.taps_received() == 1


def test_the_page_opens_without_a_network_and_takes_a_tap(phone):
    page = phone.page
    page.goto("/about")
    phone.context.set_offline(True)
    page.goto("/checkin")
    page.locator("[data-checkin-shell][data-state=ready]").wait_for()
    tap(page)
    page.get_by_text(SAVED).wait_for()
    phone.context.set_offline(False)
    done(page)
    assert phone.check_ins() == [True]


def timers(phone):
    return [row[0] for row in phone.site.sql("SELECT ends_at - started_at FROM checkin_timers")]


def test_a_timer_starts_and_ends_without_a_network(phone):
    page = phone.page
    page.goto("/checkin/timer")
    phone.context.set_offline(True)
    page.locator("#minutes").select_option("30")
    page.locator("#note").fill("To the river")
    page.locator("button[value=start]").click()
    page.get_by_text("Your timer starts when you’re online").wait_for()
    assert timers(phone) == []
    phone.context.set_offline(False)
    page.get_by_text("Your timer runs until").wait_for(timeout=30_000)
    assert timers(phone) == [30 * 60_000] and outbox(page) == []
    page.goto("/checkin")
    wait_until(
        lambda: any(known.get("timer") for known in told(page, "check-in").values()), 10,
        "the timer in the store")
    page.goto("/about")
    phone.context.set_offline(True)
    page.goto("/checkin")
    card = page.get_by_test_id("timer")
    card.get_by_text("Your timer runs until").wait_for()
    card.get_by_role("button").click()
    page.get_by_text("Your timer ends when you’re online").wait_for()
    phone.context.set_offline(False)
    wait_until(lambda: timers(phone) == [], 30, "the end of the timer")


def test_an_end_that_waited_ends_no_later_timer(phone):
    page = phone.page
    page.goto("/checkin/timer")
    page.locator("button[value=start]").click()
    page.get_by_text("Your timer runs until").wait_for()
    phone.context.set_offline(True)
    page.locator("button[value=end]").click()
    page.get_by_text("Your timer ends when you’re online").wait_for()
    phone.site.sql("UPDATE checkin_timers SET id = ?", os.urandom(16))
    phone.context.set_offline(False)
    wait_until(lambda: outbox(page) == [], 30, "an empty outbox")
    assert len(timers(phone)) == 1


def test_a_stopped_server_gets_the_tap_when_it_is_back(phone):
    page = phone.page
    phone.site.stop()
    tap(page)
    page.get_by_text(SAVED).wait_for()
    page.reload()
    page.locator("[data-checkin-shell][data-state=waiting]").wait_for()
    assert page.evaluate("navigator.onLine"), "this is about a server, not a network"
    phone.site.start()
    done(page)
    assert phone.check_ins() == [True]


def test_a_server_that_does_not_answer_leads_to_the_page_that_takes_a_tap(phone):
    page = phone.page
    stopped = phone.site.processes(" handlers")
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    try:
        page.goto("/checkin")
        page.locator("[data-checkin-shell][data-state=ready]").wait_for()
        tap(page)
        page.get_by_text(SAVED).wait_for()
    finally:
        for process in stopped:
            os.kill(process, signal.SIGCONT)
    done(page)
    wait_until(lambda: outbox(page) == [], 30, "an empty outbox")
    assert phone.check_ins() == [True]


def test_with_the_handlers_gone_the_page_still_takes_a_tap(phone):
    page = phone.page
    # Its supervisor is stopped, so they aren't restarted: nginx answers 502.
    phone.site.process.send_signal(signal.SIGSTOP)
    try:
        for process in phone.site.processes(" handlers"):
            os.kill(process, signal.SIGKILL)
        wait_until(lambda: page.request.get("/about").status == 502, 10, "502")
        page.goto("/checkin")
        page.locator("[data-checkin-shell][data-state=ready]").wait_for()
        tap(page)
        page.get_by_text(SAVED).wait_for()
    finally:
        phone.site.process.send_signal(signal.SIGCONT)
    done(page)
    assert phone.check_ins() == [True]


@pytest.mark.parametrize("script", ["", NO_LOCKS], ids=["with Web Locks", "without Web Locks"])
def test_two_tabs_send_a_tap_once(phone, script):
    page = phone.page
    if script:
        phone.context.add_init_script(script)
        page.reload()
        assert page.evaluate("navigator.locks === undefined")
    other = phone.context.new_page()
    other.goto("/checkin")
    other.locator("[data-checkin-state][data-state=ready]").wait_for()
    phone.tap_offline()
    other.get_by_text(SAVED).wait_for()
    tap(other)
    other.get_by_text("is already saved on this phone").wait_for()
    phone.context.set_offline(False)
    done(page)
    done(other)
    wait_until(lambda: outbox(page) == [], 10, "an empty outbox")
    assert phone.taps_received() == 1
    assert phone.check_ins() == [True]


def test_a_tap_outlives_the_browser(own_site, installed):
    site = own_site()
    context = installed(site)
    page = begin(context.new_page())
    context.set_offline(True)
    tap(page)
    page.get_by_text(SAVED).wait_for()
    context.close()
    # Any page sends it, not only that of the check-in.
    page = installed(site).new_page()
    page.goto("/about")
    wait_until(lambda: outbox(page) == [], 20, "an empty outbox")
    page.goto("/checkin")
    done(page)


def test_nobody_else_sends_or_sees_a_tap(phone):
    page = phone.page
    phone.tap_offline()
    session = phone.context.cookies()
    phone.context.clear_cookies()
    phone.context.set_offline(False)
    page.get_by_text("A check-in is waiting on this phone.").wait_for()
    page.reload()
    page.get_by_text("A check-in is waiting on this phone.").wait_for()
    sign_in(page, phone.site, "jun@example.test")
    page.goto("/checkin")
    page.locator("[data-checkin]").wait_for()
    time.sleep(7)
    assert page.locator("[data-waiting-taps] .note").count() == 0
    assert len(outbox(page)) == 1
    assert phone.taps_received() == 0
    phone.context.clear_cookies()
    phone.context.add_cookies(session)
    page.goto("/about")
    wait_until(lambda: outbox(page) == [], 20, "an empty outbox")
    assert phone.check_ins() == [True]


def sign_in(page, site, address):
    page.goto("/sign-in")
    page.locator("#email").fill(address)
    page.locator("#password").fill(site.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.locator("[data-composer]").wait_for()


def test_a_tap_that_is_refused_stays_until_the_person_has_read_why(phone):
    page = phone.page
    page.clock.set_fixed_time(time.time() - 80 * 3600)
    phone.tap_offline()
    page.clock.set_fixed_time(time.time())
    phone.context.set_offline(False)
    note = page.locator("[data-waiting-taps] .note-warn")
    note.wait_for()
    assert "was rejected." in note.inner_text()
    reason = outbox(page)[0]["reason"]
    assert reason and reason in note.inner_text()
    assert phone.check_ins() == []
    note.get_by_role("button").click()
    note.wait_for(state="detached")
    assert outbox(page) == []
    tap(page)
    done(page)
    assert phone.check_ins() == [False]


def sign_out(page):
    page.goto("/")
    page.locator("summary.account-button").click()
    page.get_by_role("button", name="Sign out").click()


@pytest.fixture
def waits(phone):
    """Mei, with a check-in that the server has not accepted yet."""
    # On a phone of her own, without a guest who would be merged.
    phone.context = phone.make()
    page = phone.page = phone.context.new_page()
    sign_in(page, phone.site, "mei@example.test")
    controlled(page, "/checkin")
    if page.locator("#contact_email:visible").count():
        page.locator("#contact_email").fill("kin@example.test")
        page.locator("button[name=button][value=save]").click()
    page.locator("[data-checkin-state][data-state=ready]").wait_for()
    before = len(phone.check_ins())
    phone.tap_offline()
    # Requests to /checkin fail from here on.
    phone.context.route("**/csrf", lambda route: route.abort())
    phone.context.set_offline(False)
    return phone, before


def test_signing_out_with_a_waiting_tap_asks_first(waits):
    phone, before = waits
    page = phone.page
    sign_out(page)
    dialog = page.get_by_role("dialog")
    assert "One check-in hasn’t been sent yet." in dialog.inner_text()
    dialog.get_by_role("button", name="Stay signed in").click()
    assert page.locator("body[data-user]").count() == 1
    assert len(outbox(page)) == 1
    sign_out(page)
    dialog.get_by_role("button", name="Send, then sign out").click()
    dialog.get_by_text("Couldn’t send yet.").wait_for()
    phone.context.unroute("**/csrf")
    dialog.get_by_role("button", name="Send, then sign out").click()
    page.get_by_role("link", name="Register together").first.wait_for()
    wait_until(lambda: outbox(page) == [] and told(page, "last") == {}, 10, "nothing of Mei")
    assert len(phone.check_ins()) == before + 1


def test_signing_out_all_the_same_forgets_the_tap(waits):
    phone, before = waits
    page = phone.page
    sign_out(page)
    page.get_by_role("dialog").get_by_role("button", name="Sign out anyway").click()
    page.get_by_role("link", name="Register together").first.wait_for()
    wait_until(lambda: outbox(page) == [], 10, "nothing of Mei")
    phone.context.unroute("**/csrf")
    assert len(phone.check_ins()) == before
    page.context.set_offline(True)
    page.goto("/checkin")
    page.locator("[data-checkin-shell][data-state=missing]").wait_for()
    assert "Mei" not in page.locator("main").inner_text()


def test_a_phone_that_knows_nobody_says_what_is_missing(phone):
    page = controlled(phone.make().new_page())
    page.context.set_offline(True)
    page.goto("/checkin")
    page.locator("[data-checkin-shell][data-state=missing]").wait_for()
    assert page.get_by_test_id("check-in-button").is_disabled()
    assert page.get_by_text("Open this page once while online").is_visible()


def test_a_browser_that_keeps_nothing_says_so(phone):
    page = phone.page
    phone.context.add_init_script(NO_STORAGE)
    page.goto("/checkin")
    phone.context.set_offline(True)
    tap(page)
    words = page.get_by_text("This browser couldn’t save the check-in").inner_text()
    assert words.startswith("Network connection failed. Please check your network and try again.")
    assert page.get_by_text(SAVED).count() == 0
    page.reload()
    page.locator("[data-checkin-shell][data-state=not-kept]").wait_for()
    phone.context.set_offline(False)
    page.locator("[data-checkin-state][data-state=ready]").wait_for()
    tap(page)
    done(page)


ANSWERED = """(status) => {
  const real = window.fetch;
  window.fetch = (address, options) => options?.method === "POST"
    ? Promise.resolve(new Response("", { status })) : real(address, options);
}"""


@pytest.mark.parametrize("status, words", [
    (500, "The service is unavailable right now. Please try again later"),
    (404, "Check-in failed. Please try again later"),
])
def test_a_tap_that_fails_says_so_and_can_be_repeated(phone, status, words):
    page = phone.page
    page.evaluate(ANSWERED, status)
    tap(page)
    assert words in page.get_by_role("dialog").inner_text()
    page.get_by_role("dialog").get_by_role("button").click()
    assert page.get_by_test_id("check-in-button").is_enabled()
    page.reload()
    tap(page)
    done(page)


def test_a_double_tap_is_one(phone):
    page = phone.page
    page.get_by_test_id("check-in-button").dblclick()
    done(page)
    assert phone.taps_received() == 1
    assert phone.check_ins() == [False]


def test_without_a_network_a_newcomer_keeps_what_was_typed(phone):
    page = phone.make().new_page()
    # The scripts must be cached before the network fails.
    page.goto("/checkin", wait_until="networkidle")
    page.locator("#display_name").fill("Ines")
    page.locator("#contact_email").fill("kin@example.test")
    page.context.set_offline(True)
    page.locator("button[name=button][value=save]").click()
    words = page.get_by_role("dialog").inner_text()
    assert "Network connection failed. Please check your network and try again" in words
    assert page.locator("#display_name").input_value() == "Ines"
    page.get_by_role("dialog").get_by_role("button").click()
    page.context.set_offline(False)
    page.locator("button[name=button][value=save]").click()
    page.locator("body[data-user]").wait_for()


def test_an_installed_app_that_knows_nobody_asks_before_it_makes_a_guest(phone):
    context = phone.make()
    context.add_init_script(INSTALLED)
    page = context.new_page()
    page.goto("/checkin")
    page.get_by_role("heading", name="Have you been here before?").wait_for()
    assert not page.locator("[data-checkin]").is_visible()
    assert page.get_by_role("link", name="I have a recovery code").is_visible()
    page.get_by_role("button", name="Start over").click()
    assert page.locator("[data-checkin]").is_visible()
    page.goto("/")
    assert not page.get_by_role("heading", name="Have you been here before?").is_visible()
