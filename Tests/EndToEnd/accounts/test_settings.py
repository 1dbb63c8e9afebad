"""Every page of settings, for all kinds of users, on a small screen without a script."""

import os
import re
from pathlib import Path

import pytest

import pictures
from instance import link_in
from people import Visitor
from test_account_deletion import come_in_as_two
from test_second_factor import PASSWORD as STAFF_PASSWORD
from test_second_factor import code, run

LANGUAGES = ["en", "zh-Hant", "zh-Hans"]
PASSWORD = "umbrella by the river"
COMMON = ["", "/profile", "/email", "/password", "/second-factor", "/language", "/sessions",
          "/export", "/delete", "/part"]
# Folder for screenshots of the pages.
SHOTS = os.environ.get("PAIRSPOT_SHOTS") and Path(os.environ["PAIRSPOT_SHOTS"])
# Text that looks like a key without a translation.
KEY = re.compile(r"\b(?:settings|error|toast|leave|part|pair|export|second_factor|layout|form)"
                 r"(?:_[a-z]+)?\.[a-z_]+\b|\{\{|\}\}|\{[a-z_]+\}")


def register_alone(site, address, name):
    visitor = Visitor(site)
    fields = {"csrf_token": visitor.token("/register/alone"), "display_name": name,
              "email": address, "password": PASSWORD, "accept": "1"}
    assert visitor.post("/register/alone", fields).status == 303
    path = link_in(site.mail_to(address)).removeprefix(site.url)
    assert visitor.post("/verify", visitor.get(path).form("/verify")).status == 303


def part(visitor):
    form = visitor.get("/settings/part").form("/settings/part")
    answer = visitor.post("/settings/part", form | {"current_password": PASSWORD})
    assert answer.status == 303, answer.text


def enrol(site, address):
    """A moderator with a second factor; returns the recovery codes."""
    link = run(site, "admin", "create", "--email", address, "--role", "moderator")[-1]
    visitor, path = Visitor(site), link.removeprefix(site.url)
    visitor.post("/staff/enrol", visitor.get(path).form("/staff/enrol") | {"begin": "1"})
    page = visitor.get(path)
    secret = page.text.split('class="secret"')[1].split(">")[1].split("<")[0].replace(" ", "")
    typed = {"display_name": "Nora", "password": STAFF_PASSWORD, "accept": "1",
             "code": code(secret)}
    done = visitor.post("/staff/enrol", page.form("/staff/enrol") | typed)
    return re.findall(r"\b\d{4} \d{4} \d{4}\b", done.text)


@pytest.fixture(scope="module")
def people(site):
    """Users with settings: address, password, pages of their own and recovery codes."""
    register_alone(site, "lone.set@example.test", "Lin")
    come_in_as_two(site, "ann.set@example.test", "Ann", "ben.set@example.test", "Ben")
    her, _ = come_in_as_two(site, "cat.set@example.test", "Cat", "dan.set@example.test", "Dan")
    part(her)
    codes = enrol(site, "nora.set@example.test")
    return {
        "alone": ("lone.set@example.test", PASSWORD, ["/pair"], []),
        "couple": ("ann.set@example.test", PASSWORD, [], []),
        "frozen": ("cat.set@example.test", PASSWORD, [], []),
        "staff": ("nora.set@example.test", STAFF_PASSWORD,
                  ["/settings/second-factor/codes", "/admin"], codes),
    }


def signed_in(new_page, people, kind, language):
    address, password, own, codes = people[kind]
    page = new_page(locale=language, java_script_enabled=False)
    page.goto("/sign-in")
    page.locator("#email").fill(address)
    page.locator("#password").fill(password)
    page.locator("main form .button").first.click()
    if codes:
        page.locator("#code").fill(codes.pop())
        page.locator("main form .button").last.click()
    page.goto("/settings/language")
    page.locator(f"input[name=language][value={language}]").check()
    send(page)
    return page, [f"/settings{path}" for path in COMMON] + own


def send(page):
    """Presses the button of the page's own form."""
    page.locator("main form .button:visible").last.click()


def check(page, language, pictures_in=None):
    assert page.locator("html").get_attribute("lang") == language, page.url
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390, f"{page.url} is {wide} px wide"
    text = page.locator("body").inner_text()
    assert not KEY.search(text.replace("settings.json", "")), KEY.search(text)
    if language != "en":
        assert re.search("[\u4e00-\u9fff]", page.locator("main").inner_text()), page.url
        assert re.search("[\u4e00-\u9fff]", page.title()), page.url
    if pictures_in:
        name = page.url.split("/", 3)[3].replace("/", "-")
        page.screenshot(path=pictures_in / f"{name}-{language}.png", full_page=True)


@pytest.mark.parametrize("kind, language", [
    *[("couple", language) for language in LANGUAGES],
    ("alone", "en"), ("frozen", "zh-Hant"), ("staff", "en"), ("staff", "zh-Hans")])
def test_every_page_of_settings_fits_speaks_and_works_without_a_script(
        site, new_page, people, tmp_path, kind, language):
    page, paths = signed_in(new_page, people, kind, language)
    shots = SHOTS and SHOTS / kind
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
    for path in paths:
        assert page.goto(path).status == 200, path
        check(page, language, shots)
        # All buttons are large enough for touch.
        for button in page.locator("main .button:visible").all():
            assert button.bounding_box()["height"] >= 40, path
    change_face(page, language, tmp_path)
    change_theme(page, language)
    wrong_password(page, language, "/settings/password")
    wrong_password(page, language, "/settings/email")
    wrong_password(page, language, "/settings/delete")
    end_others(site, page, people, kind, language)


def change_face(page, language, folder):
    page.goto("/settings/profile")
    name = f"Äpfel 林 {language}"
    page.locator("#display_name").fill(name)
    page.locator("input[type=file]").set_input_files(str(pictures.drawn_png(folder)))
    send_form(page, "display_name")
    check(page, language)
    assert page.locator("#display_name").input_value() == name
    assert page.get_by_test_id("toast").inner_text().strip()
    page.locator("#display_name").fill("")
    send_form(page, "display_name")
    assert page.get_by_test_id("error-summary").is_visible()
    check(page, language)


def send_form(page, field):
    page.locator(f"main form:has(#{field}) .button:visible").first.click()


def change_theme(page, language):
    page.goto("/settings/language")
    for theme in ["dark", "auto"]:
        page.locator(f"input[name=theme][value={theme}]").check()
        page.locator("select[name=time_zone]").select_option("Europe/Vienna")
        send(page)
        assert page.locator("html").get_attribute("data-theme") == theme
        assert page.locator("select[name=time_zone]").input_value() == "Europe/Vienna"
        check(page, language)


def wrong_password(page, language, path):
    page.goto(path)
    for field, typed in {"#current_password": "not the password", "#password": "a quiet lamp",
                         "#email": "new.set@example.test"}.items():
        if page.locator(f"main {field}").count():
            page.locator(f"main {field}").fill(typed)
    with page.expect_response(lambda answer: answer.request.method == "POST") as sent:
        send_form(page, "current_password")
    assert sent.value.status == 422, path
    summary = page.get_by_test_id("error-summary")
    assert summary.locator("a[href='#current_password']").is_visible()
    check(page, language)


def end_others(site, page, people, kind, language):
    address, password, _, codes = people[kind]
    other = Visitor(site)
    if codes:
        fields = {"csrf_token": other.token("/sign-in"), "email": address, "password": password,
                  "next": "/"}
        other.post("/sign-in", fields)
        form = other.get("/sign-in/code").form("/sign-in/code")
        assert other.post("/sign-in/code", form | {"code": codes.pop()}).status == 303
    else:
        other.sign_in(address, password)
    assert other.get("/settings").status == 200
    page.goto("/settings/sessions")
    check(page, language)
    page.locator("a[href$='end=others']").click()
    check(page, language)
    page.locator("#current_password").fill(password)
    page.locator("main form .button").first.click()
    page.wait_for_url("**/settings/sessions")
    check(page, language)
    assert page.locator("a[href$='end=others']").count() == 0
    assert other.get("/settings").status == 303
