"""Every page: accessible, in both themes, in three languages, on small screens; light and calm."""

import gzip
import re
import secrets

import pytest
from axe_playwright_python.sync_playwright import Axe

import pictures
from instance import link_in
from people import Visitor

AXE = Axe()

OPEN = ["/", "/register", "/register/alone", "/sign-in", "/reset", "/recover", "/about", "/help",
        "/help/check-in", "/terms", "/privacy", "/nobody-is-here", "/dev/mail", "/api",
        "/api?part=check-in", "/settings/email/confirm", "/settings/email/undo", "/verify/again",
        "/c/nothing", "/c/nothing/stop", "/tap/nothing", "/timer/nothing", "/stories", "/join",
        "/join?code=AAAAAA"]
SIGNED_IN = ["/", "/?scope=following", "/search", "/search?q=look", "post", "post/edit", "post/delete",
             "post/likes", "/posts/deleted", "post/promote", "/wallet", "/wallet/promote", "/wallet/redeem",
             "post/pictures/1", "couple", "couple/edit", "couple/followers",
             "/settings", "/settings/profile", "/settings/language", "/settings/password",
             "/settings/email", "/settings/sessions", "/settings/devices", "/settings/second-factor",
             "/settings/delete", "/settings/export",
             "/settings/reports", "/settings/decisions", "/settings/blocks",
             "other/report", "others/report", "others/block",
             "/messages", "/messages/settings", "/messages/search", "others/message",
             "/moments/new", "moment", "moment/viewers", "moment/delete",
             "/posts/saved", "/notifications", "/settings/notifications", "/settings/calendar",
             "/settings/calendar?ask=remove", "/checkin/signs?ask=new-ping",
             "/checkin/settings", "/checkin/contacts", "/checkin/timer", "/checkin/help",
             "/checkin/signs", "/checkin/history", "/checkin/record", "/album", "/album?tab=ours", "/album?q=none",
             "/album?select=1", "/album/deleted", "photo", "photo/view", "photo/delete",
             "photo/post",
             "/workouts", "/workouts?kind=rower", "/workouts/goal", "/workouts/sharing",
             "/workouts/deleted",
             "workout", "workout/edit",
             "workout/share", "workout/delete", "/workouts/trainings",
             "/workouts/add", "/workouts/import", "/workouts/record",
             "/groups", "group", "group/invite", "group/settings", "group/leave"]


@pytest.fixture
def places(site, mei):
    """Paths of Mei's content: a post with pictures, her couple's profile, a photo, a workout;
    and of another user's post and profile, to report and to block."""
    other = Visitor(site).sign_in("sam@example.test").write("Somebody else's.").made
    others = mei.get(other).text.split('href="/couples/')[1].split('"')[0]
    link = mei.write("A post to look at.", files=[("a.png", pictures.png_bytes())]).made
    couple = mei.get(link).text.split('href="/couples/')[1].split('"')[0]
    photo = mei.get("/album").text.split('<a href="/album/')[1].split('"')[0]
    workout = re.search('/workouts/[0-9a-f-]{36}', mei.get("/workouts").text)[0]
    moment = re.search('data-address="([^"]+)"', mei.get(f"/moments/{couple}").text)[1]
    group = mei.get("/groups").text.split('href="/groups/')[1].split('"')[0]
    return {"post": link, "couple": f"/couples/{couple}", "photo": f"/album/{photo}",
            "moment": moment, "workout": workout, "group": f"/groups/{group}",
            "other": other, "others": f"/couples/{others}"}


def address(places, name):
    first, _, rest = name.partition("/")
    return f"{places[first]}/{rest}".rstrip("/") if first in places else name


def wait_for_script(page, name):
    """Waits until a module of the page at hand has started: before, links and forms do what they do
    without scripts, and keys nothing. `app.js` asks for the others before the document is ready."""
    page.wait_for_load_state("domcontentloaded")
    page.evaluate(
        "name => import(new URL(name, document.querySelector('script[type=module]').src))", name)


def signed_in(page, site, address="mei@example.test"):
    page.goto("/sign-in")
    page.locator("#email").fill(address)
    page.locator("#password").fill(site.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.locator("[data-composer]").wait_for()


def send_faulty(page, path):
    page.goto(path)
    page.locator("main form:not([data-passkey]) .button:not([name=passkey])").last.click()
    page.get_by_test_id("error-summary").wait_for()


# Elements that are fading in don't have their final colours; toasts take their time. Animations of
# collapsed elements never end: they are invisible, and not waited for.
SETTLED = """() => Promise.allSettled(document.getAnimations()
  .filter((animation) => animation.effect.target.checkVisibility()
    && animation.effect.getComputedTiming().endTime <= 1000)
  .map((animation) => animation.finished))"""


# The dark theme changes colours only: all else is checked in the light one.
WHOLE = {"resultTypes": ["violations"]}
COLOURS = WHOLE | {
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}


def check_axe(page):
    """No violations in either theme."""
    for theme, options in [("light", WHOLE), ("dark", COLOURS)]:
        page.emulate_media(color_scheme=theme)
        page.evaluate(SETTLED)
        found = AXE.run(page, options=options).response["violations"]
        assert found == [], [
            (v["id"], [n["target"] for n in v["nodes"]], page.url, theme) for v in found]
    page.emulate_media(color_scheme="light")


def check_no_sideways_scroll(page):
    """Everything fits on the narrowest phones without horizontal scrolling."""
    page.set_viewport_size({"width": 320, "height": 640})
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size({"width": 390, "height": 844})
    assert wide <= 320, f"{page.url} is {wide} px wide"


def check_toast_is_clear(page):
    """A confirmation covers no button of the page."""
    toast = page.get_by_test_id("toast").locator(".toast-pill").bounding_box()
    for button in page.locator("main button:visible").all():
        box = button.bounding_box()
        assert (box["y"] >= toast["y"] + toast["height"] or box["y"] + box["height"] <= toast["y"]), (
            page.url, button.inner_text())


def check(page):
    check_axe(page)
    check_no_sideways_scroll(page)


# The first view of a page comes with the first packets, and nothing in it moves
# (docs/developer/design.md#speed).
MOST_BYTES = 14 * 1024
MOST_SHIFT = 0.02
# Targets of thumbs. Links within words and rows may be lower.
TARGETS = "button, summary, select, .top a, nav a, .button, .top-link, .menu-item, a.setting"
MEASURED = """async (targets) => {
  let shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  await new Promise((done) => setTimeout(done, 50));
  const low = [...document.querySelectorAll(targets)].map((target) => (
    { height: target.getBoundingClientRect().height, what: target.outerHTML.slice(0, 120) }
  )).filter(({ height }) => height > 1 && height < 43.5);
  return { shift, low };
}"""


def check_measures(page, html):
    size = len(gzip.compress(html, 6))
    assert size <= MOST_BYTES, f"{page.url} has {size} bytes"
    found = page.evaluate(MEASURED, TARGETS)
    assert found["shift"] < MOST_SHIFT, f"{page.url} moves by {found['shift']}"
    assert found["low"] == [], (page.url, found["low"])


def check_first_view(page, path):
    """Opens a page, and checks that it is accessible, small and calm."""
    html = page.goto(path).body()
    check_axe(page)
    check_measures(page, html)
    check_no_sideways_scroll(page)


def test_pages_for_everybody_are_accessible_and_fit(new_page):
    page = new_page()
    for path in OPEN:
        check_first_view(page, path)


def test_faulty_forms_are_accessible_and_fit(new_page):
    page = new_page()
    for path in ["/register", "/register/alone", "/sign-in", "/reset"]:
        send_faulty(page, path)
        check(page)
        assert page.locator("[aria-invalid=true]").count() > 0
        for field in page.locator("[aria-invalid=true]").all():
            note = field.get_attribute("aria-describedby")
            assert page.locator(f"#{note}").inner_text()


def test_pages_of_a_member_are_accessible_and_fit(site, new_page, places):
    page = new_page()
    signed_in(page, site)
    for name in SIGNED_IN:
        check_first_view(page, address(places, name))


def test_phones_have_bell_and_account_on_the_pages_of_the_tabs_alone(site, new_page):
    page = new_page()
    signed_in(page, site)
    both = page.locator("header.top > :is(.bell, .account)")
    for path in ["/", "/checkin", "/album", "/workouts", "/groups"]:
        page.goto(path)
        assert [one.is_visible() for one in both.all()] == [True, True], path
    for path in ["/settings", "/settings/password", "/wallet", "/checkin/contacts"]:
        page.goto(path)
        assert [one.is_visible() for one in both.all()] == [False, False], path
        assert page.locator("header.top .back").is_visible()
    page.set_viewport_size({"width": 1000, "height": 800})
    assert page.locator("header.top > .account").is_visible()


def test_faulty_settings_are_accessible_and_fit(site, new_page):
    page = new_page()
    signed_in(page, site)
    for path in ["/settings/password", "/settings/email"]:
        send_faulty(page, path)
        check(page)
        assert page.locator("[aria-invalid=true]").count() > 0


def test_contacts_and_settings_of_the_check_in_are_accessible_and_fit(site, new_page):
    page = new_page()
    signed_in(page, site)
    send_faulty(page, "/checkin/contacts")
    check(page)
    page.locator("#name").fill("Pat")
    page.locator("#email").fill("pat@example.test")
    page.get_by_role("button", name="Add contact").click()
    page.get_by_test_id("contacts").wait_for()
    site.mail_to("pat@example.test")
    page.goto("/checkin/contacts")
    page.locator(".contact-mails summary").first.click()
    check(page)
    page.locator("a[href$='/remove']").first.click()
    page.locator("dialog").wait_for()
    check(page)
    page.goto(page.locator("a[href$='/remove']").first.get_attribute("href"))
    check(page)
    page.goto(page.url.removesuffix("/remove"))
    page.locator("#email").fill("nobody")
    page.locator("main form .button").last.click()
    page.get_by_test_id("error-summary").wait_for()
    check(page)
    page.goto("/checkin/settings")
    page.locator("#paused_until").fill("2001-01-01")
    page.get_by_role("button", name="Save").click()
    page.get_by_test_id("error-summary").wait_for()
    check(page)


def test_the_history_is_accessible_and_fits(site, new_page):
    page = new_page()
    signed_in(page, site, "jun@example.test")
    page.goto("/checkin/contacts")
    if not page.get_by_test_id("contacts").count():
        page.locator("#email").fill("pat@example.test")
        page.get_by_role("button", name="Add contact").click()
        page.get_by_test_id("contacts").wait_for()
    page.goto("/checkin")
    button = page.get_by_test_id("check-in-button")
    if button.is_enabled():
        button.click()
        page.wait_for_timeout(1500)
    page.goto("/checkin/history")
    page.get_by_test_id("streak").wait_for()
    page.locator("main details summary").click()
    check(page)


def unused(name):
    """An unused address, also in a retry."""
    return f"{name}-{secrets.token_hex(4)}@example.test"


def test_a_new_address_is_accessible_and_fits(site, new_page):
    page = new_page()
    signed_in(page, site, "sam@example.test")
    page.goto("/settings/email")
    another = unused("sam")
    page.locator("#email").fill(another)
    page.locator("#current_password").fill(site.demo_password())
    page.locator("main form .button").last.click()
    page.locator("p.note").wait_for()
    check(page)
    page.goto(link_in(site.mail_to(another)))
    page.locator("main form .button").wait_for()
    check(page)
    # The undo link, which leads to a new password.
    told = sum(
        "was changed" in mail["Subject"]
        and mail["To"].addresses[0].addr_spec == "sam@example.test" for mail in site.mails())
    page.locator("main form .button").click()
    page.wait_for_url("**/settings/email")
    page.goto(link_in(site.mail_to("sam@example.test", "was changed", told + 1)))
    check(page)
    page.locator("main form .button").click()
    page.get_by_test_id("error-summary").wait_for()
    check(page)
    page.locator("#current_password").fill(site.demo_password())
    page.locator("main form .button").click()
    page.locator("#password").fill(site.demo_password())
    check(page)
    page.locator("main form .button").click()
    page.wait_for_url("**/sign-in")


def test_the_pages_of_coming_in_are_accessible_and_fit(site, new_page):
    page = new_page()
    page.goto("/register")
    one = unused("one")
    page.locator("#email_a").fill(one)
    page.locator("#email_b").fill(unused("two"))
    page.locator("#couple_name").fill("One & Two")
    page.locator("#anniversary").fill("2024-05-01")
    page.locator("#accept").check()
    page.get_by_role("button", name="Send both links").click()
    page.wait_for_url("**/register/waiting")
    check(page)
    page.goto(link_in(site.mail_to(one)))
    check(page)
    page.locator("main form .button:not(#credential)").click()
    page.locator("#display_name").wait_for()
    check(page)
    page.locator("#display_name").fill("One")
    page.locator("#password").fill("a very quiet lamp")
    page.locator("main form .button:not(#credential)").click()
    page.wait_for_url("**/register/waiting")
    page.locator("details.correct summary").click()
    check(page)


def test_the_pages_of_pairing_and_parting_are_accessible_and_fit(site, new_page):
    page = new_page()
    signed_in(page, site)
    page.goto("/settings/part")
    check(page)
    send_faulty_password(page)
    check(page)
    page.goto("/pair")
    check(page)
    alone = new_page()
    signed_in(alone, site, "sam@example.test")
    alone.goto("/settings/part")
    check(alone)
    send_faulty(alone, "/pair")
    check(alone)
    invited = unused("newt")
    alone.locator("#email").fill(invited)
    alone.locator("main form .button").last.click()
    alone.get_by_test_id("invitation").wait_for()
    check(alone)
    newt = new_page()
    newt.goto(link_in(site.mail_to(invited)))
    check(newt)
    newt.locator("main form .button").last.click()
    newt.get_by_test_id("error-summary").wait_for()
    check(newt)
    newt.goto("/pair/accept?token=nothing")
    check(newt)


def send_faulty_password(page):
    page.locator("main form .button-danger").click()
    page.get_by_test_id("error-summary").wait_for()


def test_the_pages_of_leaving_are_accessible_and_fit(site, new_page):
    page = new_page()
    signed_in(page, site, "sam@example.test")
    page.goto("/settings/export")
    page.locator("main form .button").click()
    page.locator(".export").wait_for()
    check(page)
    page.get_by_role("link", name="Download").wait_for()
    check(page)
    page.goto("/settings/delete")
    page.locator("main form .button").first.click()
    page.get_by_test_id("error-summary").wait_for()
    check(page)
    page.locator("#current_password").fill(site.demo_password())
    page.get_by_role("button", name="Delete my account").click()
    page.wait_for_url("**/account-deleted")
    page.get_by_text("You can come back until").wait_for()
    check(page)
    page.get_by_role("main").get_by_role("link", name="Sign in", exact=True).click()
    page.wait_for_url("**/sign-in")
    page.locator("#email").fill("sam@example.test")
    page.locator("#password").fill(site.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url("**/restore")
    check(page)
    page.get_by_role("button", name="Restore").click()
    page.locator("[data-composer]").wait_for()


def test_the_pages_of_a_contact_are_accessible_and_fit(site, new_page):
    contact = "contact@example.test"
    guest = new_page()
    guest.goto("/checkin")
    guest.locator("#display_name").fill("Gia")
    guest.locator("#contact_email").fill(contact)
    guest.locator("button[value=save]").first.click()
    link = link_in(site.mail_to(contact))
    page = new_page()
    page.goto(link)
    check(page)
    page.locator("button[value=weekly-on]").click()
    page.locator("button[value=weekly-off]").wait_for()
    check_toast_is_clear(page)
    check(page)
    page.get_by_role("link", name="Unsubscribe").click()
    page.wait_for_url("**/stop")
    check(page)
    page.locator("button[value=stop]").click()
    page.locator("button[value=stop]").wait_for(state="detached")
    check(page)
    page.goto(link)
    check(page)
    page.locator("button[value=again]").click()
    page.locator("button[value=weekly-on]").wait_for()


def test_the_stories_are_accessible_and_fit(new_page):
    page = new_page()
    send_faulty(page, "/stories")
    check(page)
    page.locator("#file").set_input_files(pictures.WITH_PLACE)
    page.get_by_test_id("story-found").wait_for()
    page.locator("[data-story-photo] img").wait_for()
    check(page)
    page.get_by_role("button", name="Save and download").click()
    page.get_by_test_id("error-summary").wait_for()
    check(page)


@pytest.mark.parametrize("language", ["en", "zh-Hant", "zh-Hans"])
def test_pages_speak_the_language_of_the_browser(new_page, texts, language):
    page = new_page(locale=language)
    for path in OPEN:
        page.goto(path)
        assert page.locator("html").get_attribute("lang") == language
    page.goto("/sign-in")
    assert page.locator("h1").inner_text() == texts(language)["sign_in.title"]


def test_a_chosen_language_and_theme_stay(new_page):
    page = new_page()
    page.goto("/about")
    page.get_by_role("button", name="繁體中文").click()
    page.locator("html[lang=zh-Hant]").wait_for()
    page.locator("button[name=theme][value=dark]").click()
    page.locator("html[data-theme=dark]").wait_for()
    page.goto("/register")
    assert page.locator("html").get_attribute("lang") == "zh-Hant"
    assert page.locator("html").get_attribute("data-theme") == "dark"
    check_axe(page)


def test_pages_do_not_name_what_does_not_exist_yet(new_page, site, places):
    page = new_page()
    signed_in(page, site)
    assert page.locator("nav.tabs ul:first-of-type > li").count() == 5
    links = page.eval_on_selector_all("a[href]", "all => all.map(a => a.getAttribute('href'))")
    for link in sorted({link for link in links if link.startswith("/")}):
        assert page.request.get(link).status == 200, link
