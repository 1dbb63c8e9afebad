"""Messages of the two and between couples: live, with and without scripts, and without a network."""

import contextlib
import re
import secrets

import pytest
from playwright.sync_api import expect

import pictures
from instance import wait_until
from people import Visitor
from phone import outbox
from test_pages import check, signed_in, wait_for_script

MESSAGES = re.compile(r"/messages/([0-9a-f-]{36})")


def words():
    """Words that no other test writes."""
    return f"Words {secrets.token_hex(6)}"


def path_of_two(visitor):
    """The conversation of a visitor with the partner."""
    return MESSAGES.search(visitor.get("/messages").text)[0]


def write(visitor, path, text, **fields):
    """Sends the form of a conversation."""
    forms = visitor.get(path).forms
    form = next(form for _, form in forms if "client_id" in form)
    answer = visitor.post(path, form | {"text": text} | fields)
    assert answer.status == 303, answer.text
    return answer


def opened(page, path):
    """Opens a conversation whose script has started."""
    page.goto(path)
    wait_for_script(page, "messages/conversation.js")
    return page


def send(page, text):
    page.locator("#text").fill(text)
    page.get_by_role("button", name="Send", exact=True).click()


def message(page, text):
    """The message with this text, without those that quote it."""
    return page.get_by_test_id("message").filter(
        has=page.get_by_test_id("message-text").get_by_text(text))


def open_menu(page, text):
    message(page, text).locator("summary").click()
    return message(page, text).locator(".menu-list")


@pytest.fixture
def two(mei):
    return path_of_two(mei)


@pytest.fixture
def pages(site, new_page, mei, two):
    """Mei's and Jun's phones with their conversation, which has a message."""
    write(mei, two, words())
    made = []
    for address in ["mei@example.test", "jun@example.test"]:
        page = new_page()
        signed_in(page, site, address)
        made.append(opened(page, two))
    return made


def sent(site, text):
    """How often a message is on the page."""
    mei = Visitor(site).sign_in("mei@example.test")
    return mei.get(path_of_two(mei)).text.count(f">{text}<")


@pytest.mark.parametrize("scripts", [True, False])
def test_the_two_write_to_each_other(site, new_page, jun, two, scripts):
    page = new_page(java_script_enabled=scripts)
    (signed_in if scripts else signed_in_without_scripts)(page, site)
    page.goto("/messages")
    page.get_by_test_id("conversation").first.click()
    assert MESSAGES.search(page.url)[0] == two
    if scripts:
        wait_for_script(page, "messages/conversation.js")
    text = words()
    send(page, text)
    message(page, text).wait_for()
    assert page.locator("#text").input_value() == ""
    if scripts:
        check(page)
    assert text in jun.get("/messages").text
    assert text in jun.get(two).text


def signed_in_without_scripts(page, site, address="mei@example.test"):
    page.goto("/sign-in")
    page.locator("#email").fill(address)
    page.locator("#password").fill(site.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("heading", level=1).first.wait_for()


def test_a_message_arrives_while_the_page_is_open(pages):
    mei, jun = pages
    text = words()
    mei.locator("#text").press_sequentially(text)

    def is_told():
        # Jun's stream may have begun after the first keys.
        mei.locator("#text").press_sequentially(" ")
        return jun.locator("[data-status]").filter(has_text="is writing").count()

    wait_until(is_told, 30, "who is writing")
    mei.get_by_role("button", name="Send", exact=True).click()
    message(jun, text).wait_for()
    # It is read out, with its author.
    jun.locator("[data-spoken]").get_by_text(f"Mei: {text}").wait_for(state="attached")
    assert "is-own" not in message(jun, text).get_attribute("class")
    assert "is-own" in message(mei, text).get_attribute("class")
    # What Jun has seen is marked for Mei.
    message(mei, text).get_by_test_id("read").wait_for()


def test_reactions_are_seen_at_once(pages):
    mei, jun = pages
    text = words()
    send(mei, text)
    message(jun, text).wait_for()
    open_menu(jun, text).get_by_role("button", name="Love").click()
    message(jun, text).get_by_test_id("reaction").get_by_text("Love: Jun").wait_for(
        state="attached")
    message(mei, text).get_by_test_id("reaction").wait_for()
    check(mei)
    open_menu(jun, text).get_by_role("button", name="Love").click()
    message(jun, text).get_by_test_id("reaction").wait_for(state="detached")
    message(mei, text).get_by_test_id("reaction").wait_for(state="detached")


def test_answers_edits_and_deletions(pages):
    mei, jun = pages
    text, answer = words(), words()
    send(mei, text)
    message(jun, text).wait_for()
    open_menu(jun, text).get_by_role("link", name="Answer").click()
    jun.locator("[data-answering]").get_by_text(text).wait_for()
    send(jun, answer)
    quoted = message(mei, answer)
    quoted.wait_for()
    assert text in quoted.locator(".talk-quote").inner_text()

    changed = words()
    open_menu(mei, text).get_by_role("link", name="Edit").click()
    check(mei)
    mei.locator("#text").fill(changed)
    mei.get_by_role("button", name="Save").click()
    message(mei, changed).wait_for()
    message(jun, changed).wait_for()
    wait_for_script(mei, "confirm.js")
    open_menu(mei, changed).get_by_role("link", name="Delete for everyone").click()
    mei.locator("dialog").get_by_role("button", name="Delete for everyone").click()
    mei.get_by_test_id("toast").get_by_text("Message deleted").wait_for()
    jun.get_by_text("This message was deleted.").first.wait_for()
    assert changed not in jun.locator("[data-days]").inner_text()


def test_everything_works_without_scripts(site, new_page, jun, two):
    text = words()
    write(jun, two, text)
    page = new_page(java_script_enabled=False)
    signed_in_without_scripts(page, site)
    page.goto(two)
    menu = open_menu(page, text)
    menu.get_by_role("button", name="Thumbs up").click()
    message(page, text).get_by_test_id("reaction").wait_for()
    open_menu(page, text).get_by_role("link", name="Answer").click()
    assert text in page.locator("[data-answering]").inner_text()
    answer = words()
    send(page, answer)
    assert text in message(page, answer).locator(".talk-quote").inner_text()
    open_menu(page, answer).get_by_role("link", name="Delete for everyone").click()
    page.get_by_role("button", name="Delete for everyone").click()
    assert answer not in page.locator("main").inner_text()
    page.goto(two)
    page.locator(".talk-tools summary").click()
    page.locator("#q").fill(text)
    page.locator("#q").press("Enter")
    page.get_by_test_id("found-messages").get_by_text(text).click()
    message(page, text).wait_for()
    assert page.url.endswith(message(page, text).get_attribute("id"))


def test_what_is_too_long_is_kept_in_the_form(pages):
    mei, _ = pages
    long = "word " * 900
    send(mei, long)
    mei.get_by_test_id("error-summary").wait_for()
    assert mei.locator("#text").input_value().strip() == long.strip()
    check(mei)
    text = words()
    send(mei, text)
    message(mei, text).wait_for()


def test_pictures_are_sent_and_open_in_full_size(pages, tmp_path):
    mei, jun = pages
    for name in ["a.png", "b.png"]:
        (tmp_path / name).write_bytes(pictures.png_bytes())
    mei.locator("#pictures").set_input_files([tmp_path / "a.png", tmp_path / "b.png"])
    assert mei.locator("[data-chosen] img").count() == 2
    mei.get_by_label("Describe this picture: b.png").fill("A square")
    check(mei)
    text = words()
    send(mei, text)
    message(mei, text).locator(".pictures img").first.wait_for()
    assert mei.locator("[data-chosen] img").count() == 0
    check(mei)
    shown = message(jun, text).locator(".pictures a")
    shown.first.wait_for()
    assert shown.count() == 2
    alternatives = message(jun, text).locator(".pictures img")
    assert alternatives.nth(1).get_attribute("alt") == "A square"
    jun.goto(shown.first.get_attribute("href"))
    picture = jun.get_by_test_id("full-picture")
    wait_until(lambda: picture.evaluate("image => image.naturalWidth > 0"), 10, "the picture")
    check(jun)
    jun.get_by_role("link", name="Back to the message").click()
    message(jun, text).wait_for()


def refused_and_sent(page):
    """Sends a message with a picture that is too long, and then a shorter one with the same picture."""
    page.locator("#pictures").set_input_files(
        {"name": "a.png", "mimeType": "image/png", "buffer": pictures.png_bytes()})
    description = page.get_by_label("Describe this picture: a.png")
    description.fill("A square")
    send(page, "word " * 900)
    page.get_by_test_id("error-summary").wait_for()
    page.locator("[data-chosen] img").wait_for()
    assert description.input_value() == "A square"
    check(page)
    text = words()
    send(page, text)
    picture = message(page, text).locator(".pictures img")
    picture.wait_for()
    assert picture.get_attribute("alt") == "A square"


def test_a_refused_message_keeps_its_pictures_and_their_descriptions(pages):
    mei, _ = pages
    refused_and_sent(mei)


def test_what_is_being_written_stays_when_more_than_a_page_is_new(pages, jun, two):
    mei, _ = pages
    mei.locator("#pictures").set_input_files(
        {"name": "a.png", "mimeType": "image/png", "buffer": pictures.png_bytes()})
    description = mei.get_by_label("Describe this picture: a.png")
    description.fill("A square")
    half = words()
    mei.locator("#text").fill(half)
    # As if all messages that are shown were older than the newest page.
    mei.evaluate("""() => {
      window.isOpenStill = true;
      document.querySelector("[data-conversation]").dataset.isOld = "";
      for (const one of document.querySelectorAll("[data-message]")) one.dataset.message = "0";
    }""")
    text = words()
    write(jun, two, text)
    message(mei, text).wait_for()
    assert mei.locator("[data-is-old]").count() == 0
    assert mei.evaluate("window.isOpenStill")
    assert mei.locator("#text").input_value() == half
    assert mei.evaluate("document.activeElement.id") == "text"
    mei.locator("[data-chosen] img").wait_for()
    assert description.input_value() == "A square"
    mei.get_by_role("button", name="Send", exact=True).click()
    message(mei, half).locator(".pictures img").wait_for()


def test_words_wait_without_a_network_and_go_once_in_order(site, pages):
    mei, jun = pages
    first, second = words(), words()
    mei.context.set_offline(True)
    for text in [first, second]:
        send(mei, text)
        mei.get_by_test_id("waiting-message").filter(has_text=text).wait_for()
    mei.get_by_text("Waiting until you’re online").first.wait_for()
    check_waiting(mei)
    waiting = sorted(outbox(mei), key=lambda row: row["at"])
    assert [row["fields"]["text"] for row in waiting] == [first, second]
    mei.context.set_offline(False)
    for text in [first, second]:
        message(jun, text).wait_for(timeout=30_000)
    wait_until(lambda: outbox(mei) == [], 10, "an empty outbox")
    message(mei, second).wait_for()
    expect(mei.get_by_test_id("waiting-message")).to_have_count(0)
    assert [sent(site, text) for text in [first, second]] == [1, 1]
    shown = jun.get_by_test_id("message-text").all_inner_texts()
    assert shown.index(first) < shown.index(second)


def check_waiting(page):
    """Each message that waits can be tried again and discarded, by a thumb."""
    for item in page.get_by_test_id("waiting-message").all():
        for name in ["Try again", "Discard"]:
            assert item.get_by_role("button", name=name).bounding_box()["height"] >= 43.5


def test_a_message_that_waits_can_be_discarded(pages):
    mei, _ = pages
    mei.context.set_offline(True)
    text = words()
    send(mei, text)
    waiting = mei.get_by_test_id("waiting-message").filter(has_text=text)
    waiting.get_by_role("button", name="Discard").click()
    waiting.wait_for(state="detached")
    assert outbox(mei) == []
    assert mei.evaluate("document.activeElement.id") == "text"
    mei.context.set_offline(False)


def test_a_message_whose_answer_was_lost_is_stored_once(site, new_page, two):
    # The service worker would hide the request from the test.
    mei = new_page(service_workers="block")
    signed_in(mei, site)
    opened(mei, two)
    lost = []

    def lose(route):
        # The server takes it, and the browser never learns of it.
        if route.request.method == "POST" and not lost:
            route.fetch()
            lost.append(route.request.url)
            route.abort()
        else:
            route.continue_()

    mei.route("**/api/v1/conversations/*/messages", lose)
    text = words()
    send(mei, text)
    wait_until(lambda: mei.evaluate("1") and lost, 20, "the first try")
    wait_until(lambda: outbox(mei) == [], 30, "the second try")
    message(mei, text).wait_for()
    assert sent(site, text) == 1


def test_earlier_messages_and_dates(site, new_page, mei, jun, two):
    text = words()
    write(mei, two, f"First of {text}")
    for number in range(8):
        # Within the limit of messages a minute, so that other tests can go on.
        write(jun, two, f"{number} of {text}")
    page = new_page()
    signed_in(page, site)
    day = re.search(r'data-day="([0-9-]{10})"', mei.get(two).text)[1]
    page.goto(f"{two}?day={day}")
    message(page, f"First of {text}").wait_for()
    page.get_by_role("link", name="Latest messages").click()
    message(page, f"7 of {text}").wait_for()
    opened(page, f"{two}?from=1")
    check(page)


def test_the_unread_count_is_shown_and_goes_away(site, new_page, mei, jun, two):
    mei.get(two)
    write(jun, two, words())
    page = new_page()
    signed_in(page, site)
    page.get_by_test_id("home-messages").filter(has_text="1 unread message").wait_for()
    assert page.get_by_test_id("unread-messages-mark").inner_text() == "1"
    check(page)
    page.goto("/messages")
    page.get_by_test_id("unread-messages").first.wait_for()
    check(page)
    page.get_by_test_id("conversation").first.click()
    page.locator("#text").wait_for()
    page.goto("/")
    assert page.get_by_test_id("home-messages").count() == 0


def strangers(site):
    """Mei, Sam, who does not follow her any more, and the path of her couple."""
    mei, sam = (Visitor(site).sign_in(f"{name}@example.test") for name in ["mei", "sam"])
    post = mei.write("Write to us.").made
    couple = re.search(r'href="(/couples/[0-9a-f-]{36})"', mei.get(post).text)[1]
    sam.post(f"{couple}/unfollow", {"csrf_token": sam.token(couple)})
    return mei, sam, couple


def test_a_request_is_changed_and_withdrawn(own_site):
    site = own_site(PAIRSPOT_DEMO="1")
    mei, sam, couple = strangers(site)
    fields = sam.get(f"{couple}/message").form(f"{couple}/message")
    path = MESSAGES.search(
        sam.post(f"{couple}/message", fields | {"text": "Hello you too."}).location)[0]
    edit = re.search(r'href="(/messages/[^"]+/edit)"', sam.get(path).text)[1]
    changed = sam.post(edit, sam.get(edit).form(edit) | {"text": "Hello, you two."})
    assert changed.status == 303
    assert "Hello, you two." in mei.get("/messages").text
    withdraw = f"{path}/withdraw"
    answer = sam.post(withdraw, {"csrf_token": sam.token(path)})
    assert answer.status == 303 and answer.location == "/messages"
    for visitor in (mei, sam):
        assert path not in visitor.get("/messages").text
        assert "Hello, you two." not in visitor.get(path).text
    # The couple may be asked again.
    fields = sam.get(f"{couple}/message").form(f"{couple}/message")
    assert sam.post(f"{couple}/message", fields | {"text": "Once more."}).status == 303
    assert "Once more." in mei.get("/messages").text


def test_a_couple_asks_before_it_writes(own_site):
    """A request has one message without links; accepted, all write to each other."""
    site = own_site(PAIRSPOT_DEMO="1")
    mei, sam, couple = strangers(site)
    assert f'href="{couple}/message"' in sam.get(couple).text
    form = sam.get(f"{couple}/message")
    assert "as a request" in form.text and 'name="pictures"' not in form.text
    fields = form.form(f"{couple}/message")
    refused = sam.post(f"{couple}/message", fields | {"text": "See https://example.test/ now"})
    assert refused.status == 422 and "See https://example.test/ now" in refused.text
    made = sam.post(f"{couple}/message", fields | {"text": "Shall we meet?"})
    assert made.status == 303
    path = MESSAGES.search(made.location)[0]
    waits = sam.get(path).text
    assert "request-waits" in waits and 'id="compose"' not in waits
    listed = mei.get("/messages").text
    assert "message-requests" in listed and "Shall we meet?" in listed
    token = mei.token(path)
    assert mei.post(f"{path}/accept", {"csrf_token": token}).status == 303
    write(mei, path, "Yes, on Sunday.")
    assert "Yes, on Sunday." in sam.get(path).text
    write(sam, path, "Good: https://example.test/place")
    jun = Visitor(site).sign_in("jun@example.test")
    assert "https://example.test/place" in jun.get(path).text


def test_a_refused_first_message_keeps_its_picture(own_site, browser):
    site = own_site(PAIRSPOT_DEMO="1")
    mei, sam = (Visitor(site).sign_in(f"{name}@example.test") for name in ["mei", "sam"])
    ours, theirs = (
        re.search(r'href="(/couples/[0-9a-f-]{36})"', one.get(one.write("Hello.").made).text)[1]
        for one in [mei, sam])
    for one, couple in [(mei, theirs), (sam, ours)]:
        one.post(f"{couple}/follow", {"csrf_token": one.token(couple)})
    context = browser.new_context(base_url=site.url, viewport={"width": 390, "height": 844})
    with contextlib.closing(context):
        page = context.new_page()
        signed_in(page, site, "sam@example.test")
        opened(page, f"{ours}/message")
        refused_and_sent(page)
        assert MESSAGES.search(page.url)


def test_the_first_message_arrives_on_an_open_page(own_site, browser):
    site = own_site(PAIRSPOT_DEMO="1")
    jun = Visitor(site).sign_in("jun@example.test")
    path = path_of_two(jun)
    context = browser.new_context(base_url=site.url, viewport={"width": 390, "height": 844})
    with contextlib.closing(context):
        page = context.new_page()
        signed_in(page, site)
        opened(page, path)
        assert page.get_by_test_id("message-text").count() == 0
        write(jun, path, "The first words.")
        message(page, "The first words.").wait_for()
        page.locator("[data-none]").wait_for(state="detached")


def test_parting_closes_an_open_page(own_site, browser):
    site = own_site(PAIRSPOT_DEMO="1")
    mei = Visitor(site).sign_in("mei@example.test")
    jun = Visitor(site).sign_in("jun@example.test")
    path = path_of_two(mei)
    write(mei, path, "Good morning.")
    context = browser.new_context(base_url=site.url, viewport={"width": 390, "height": 844})
    with contextlib.closing(context):
        page = context.new_page()
        signed_in(page, site)
        opened(page, path)
        page.locator("#text").wait_for()
        form = jun.get("/settings/part").form("/settings/part")
        answer = jun.post("/settings/part", form | {"current_password": site.demo_password()})
        assert answer.status == 303, answer.text
        page.get_by_test_id("frozen").wait_for()
        assert page.locator("#text").count() == 0
        message(page, "Good morning.").wait_for()


def test_requests_are_accessible(own_site, browser):
    site = own_site(PAIRSPOT_DEMO="1")
    mei, sam, couple = strangers(site)
    fields = sam.get(f"{couple}/message").form(f"{couple}/message")
    path = MESSAGES.search(
        sam.post(f"{couple}/message", fields | {"text": "Hello, you two."}).location)[0]
    context = browser.new_context(base_url=site.url, viewport={"width": 390, "height": 844})
    with contextlib.closing(context):
        page = context.new_page()
        signed_in(page, site)
        for address in ["/messages", path, f"{path}/settings", couple]:
            page.goto(address)
            check(page)
        page.goto(path)
        page.get_by_role("button", name="Decline").click()
        page.wait_for_url("**/messages")
        assert page.get_by_test_id("message-requests").count() == 0


@pytest.mark.parametrize("language", ["zh-Hant", "zh-Hans"])
def test_pages_of_messages_speak_the_languages_of_the_reader(mei, two, texts, language):
    mei.read_in(language)
    try:
        for path, key in [
            ("/messages", "messages.title"), (two, "messages.write"),
            ("/messages/settings", "messages.shares_reads"), (f"{two}/settings", "messages.mute"),
            (f"{two}/search", "messages.search_hint"), ("/messages/search", "messages.search_all"),
        ]:
            assert texts(language)[key] in mei.get(path).text, path
    finally:
        mei.read_in("en")


def test_settings_and_search_are_accessible(site, new_page, two):
    page = new_page()
    signed_in(page, site)
    for path in ["/messages/settings", f"{two}/settings", "/messages/search",
                 "/messages/search?q=nothing-of-that-kind", f"{two}/search?q=words"]:
        page.goto(path)
        check(page)
    page.goto(f"{two}/settings")
    page.get_by_text("Some hours").click()
    page.locator("#from").fill("23:00")
    page.locator("#to").fill("23:00")
    page.get_by_role("button", name="Save").click()
    page.get_by_test_id("error-summary").wait_for()
    check(page)
    page.locator("#to").fill("06:30")
    page.get_by_role("button", name="Save").click()
    page.locator("#text").wait_for()
    page.goto(f"{two}/settings")
    assert page.locator("#to").input_value() == "06:30"
    page.get_by_text("None", exact=True).click()
    page.get_by_role("button", name="Save").click()
    page.locator("#text").wait_for()


def test_guests_have_no_messages(new_page):
    page = new_page()
    page.goto("/checkin")
    page.locator("#display_name").fill("Nora")
    page.locator("#contact_email").fill("kin@example.test")
    page.locator("button[name=button][value=save]").click()
    page.locator("body[data-user]").wait_for()
    assert page.locator("a[href='/messages']").count() == 0
    page.goto("/messages")
    page.wait_for_url(re.compile(r"/become-a-member\?next="))


def test_texts_are_encrypted_where_they_lie(site, mei, two):
    text = words()
    write(mei, two, text)
    assert text not in site.dump()
    logs = (site.data / "logs/requests.log").read_text()
    assert text not in logs
