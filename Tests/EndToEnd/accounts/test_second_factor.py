"""The second factor in a real browser, with codes computed by another program."""

import base64
import hashlib
import hmac
import secrets
import subprocess
import time
from urllib.parse import parse_qs, unquote, urlsplit


from instance import PROGRAM
from test_pages import check

PASSWORD = "a very quiet lamp"


def run(site, *arguments):
    """The output of a command of the program, as a list of lines."""
    done = subprocess.run(
        [str(PROGRAM), *arguments], env=site.environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def code(secret, moment=None):
    """RFC 6238, implemented from the text."""
    step = int(moment or time.time()) // 30
    mac = hmac.digest(base64.b32decode(secret), step.to_bytes(8, "big"), hashlib.sha1)
    start = mac[-1] & 15
    return f"{(int.from_bytes(mac[start:start + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"


def scanned(page, tmp_path):
    """The content of the QR code on the page."""
    picture = tmp_path / "qr.png"
    page.locator("svg.qr").screenshot(path=picture)
    read = subprocess.run(
        ["zbarimg", "-q", "--raw", str(picture)], capture_output=True, text=True, timeout=30)
    return read.stdout.strip()


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def test_staff_enrol_by_the_link_of_the_command_and_sign_in_with_a_code(
        site, new_page, tmp_path):
    address = f"staff-{secrets.token_hex(4)}@example.test"
    link = run(site, "admin", "create", "--email", address, "--role", "admin")[-1]
    page = new_page()
    page.goto(link)
    check(page)
    press(page, "Set up")
    page.locator("svg.qr").wait_for()
    check(page)

    read = urlsplit(scanned(page, tmp_path))
    assert (read.scheme, read.netloc) == ("otpauth", "totp")
    assert unquote(read.path) == f"/PairSpot:{address}"
    asked = parse_qs(read.query)
    secret = asked["secret"][0]
    assert page.locator(".secret").inner_text().replace(" ", "") == secret
    assert (asked["issuer"], asked["digits"], asked["period"]) == (["PairSpot"], ["6"], ["30"])

    press(page, "Finish")
    page.get_by_test_id("error-summary").wait_for()
    check(page)
    page.locator("#display_name").fill("Nora")
    page.locator("#password").fill(PASSWORD)
    page.locator("#accept").check()
    page.locator("#code").fill(code(secret))
    press(page, "Finish")
    page.locator(".codes").wait_for()
    check(page)
    codes = page.locator(".codes").inner_text().split("\n")
    assert len(set(codes)) == 10

    page.get_by_role("link", name="I’ve saved them").click()
    page.wait_for_url("**/admin")
    check(page)
    for path in ["/settings/second-factor", "/settings/second-factor/codes"]:
        page.goto(path)
        check(page)
    press(page, "Get new recovery codes")
    page.get_by_test_id("error-summary").wait_for()
    check(page)

    other = new_page()
    other.goto("/sign-in?next=/admin")
    other.locator("#email").fill(address)
    other.locator("#password").fill(PASSWORD)
    press(other, "Sign in")
    other.wait_for_url("**/sign-in/code")
    check(other)
    other.locator("#code").fill("12 34")
    press(other, "Sign in")
    other.get_by_test_id("error-summary").wait_for()
    check(other)
    other.locator("#code").fill(codes[0])
    press(other, "Sign in")
    other.wait_for_url("**/admin")


def test_a_code_of_the_next_step_is_taken_once(site, visitor):
    link = run(site, "admin", "create", "--email", "twice@example.test")[-1]
    path = link.removeprefix(site.url)
    visitor.post("/staff/enrol", visitor.get(path).form("/staff/enrol") | {"begin": "1"})
    page = visitor.get(path)
    secret = page.text.split('class="secret"')[1].split(">")[1].split("<")[0].replace(" ", "")
    now = time.time()
    typed = {"display_name": "Tom", "password": PASSWORD, "accept": "1"}
    answers = [
        visitor.post("/staff/enrol", page.form("/staff/enrol") | typed | {"code": digits})
        for digits in (code(secret, now + 90), code(secret, now))]
    assert [answer.status for answer in answers] == [422, 200]
    token = {"csrf_token": visitor.token("/")}
    assert visitor.post("/sign-out", token).status == 303
    fields = {"csrf_token": visitor.token("/sign-in"), "email": "twice@example.test",
              "password": PASSWORD, "next": "/"}
    assert visitor.post("/sign-in", fields).location == "/sign-in/code"
    form = visitor.get("/sign-in/code").form("/sign-in/code")
    again = [visitor.post("/sign-in/code", form | {"code": digits})
             for digits in (code(secret, now), code(secret, now + 30))]
    assert [answer.status for answer in again] == [422, 303]
