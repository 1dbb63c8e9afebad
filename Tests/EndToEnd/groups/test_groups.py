"""Groups: a code as text and as a QR code, joining, and leading."""

import html
import http.client
import io
import re
import subprocess
from collections import Counter
from urllib.parse import quote, urlsplit

import pytest
from PIL import Image

from people import Visitor
from test_pages import check, signed_in

CODE = re.compile(r"^[A-HJKMNP-Z2-9]{3} [A-HJKMNP-Z2-9]{3}$")


def make(page, name):
    """Creates a group; the page then shows its code. Returns the group's path."""
    page.goto("/groups")
    page.locator("#name").fill(name)
    page.get_by_role("button", name="Create group").click()
    page.wait_for_url("**/invite")
    return urlsplit(page.url).path.removesuffix("/invite")


def code(page, group):
    page.goto(f"{group}/invite")
    return page.get_by_test_id("invite-code").inner_text()


def scanned(page, tmp_path):
    """The content of the QR code on the page."""
    picture = tmp_path / "qr.png"
    page.get_by_test_id("qr").screenshot(path=picture)
    read = subprocess.run(
        ["zbarimg", "-q", "--raw", str(picture)], capture_output=True, text=True, timeout=30)
    return read.stdout.strip()


def join_as_guest(page, link, name):
    page.goto(link)
    page.locator("#display_name").fill(name)
    page.get_by_role("button", name="Join group").click()
    page.wait_for_url(re.compile(r"/groups/[0-9a-f-]{36}$"))


def press(page, words):
    page.get_by_role("button", name=words, exact=True).click()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_photo_of_a_code_leads_on_where_the_browser_scans_none(
    site, new_page, tmp_path, scripts
):
    lead = new_page()
    signed_in(lead, site)
    group = make(lead, f"Photographed {scripts}")
    square = Image.open(io.BytesIO(lead.request.get(f"/api/v1{group}/invite.png").body()))
    # Like a phone's photo: 12 megapixels, with the screen at an angle.
    photo = Image.new("RGB", (4032, 3024), (70, 80, 90))
    photo.paste(square.convert("RGB").resize((900, 900)), (2400, 700))
    photo.rotate(8, fillcolor=(70, 80, 90)).save(tmp_path / "photo.jpg", quality=70)

    guest = new_page(java_script_enabled=scripts)
    guest.goto("/join")
    if scripts:
        check(guest)
    field = guest.locator("#picture")
    assert field.get_attribute("capture") == "environment"
    field.set_input_files(tmp_path / "photo.jpg")
    if not scripts:
        press(guest, "Read picture")
    guest.wait_for_url(re.compile(r"/join\?code=[A-Z2-9]{26}$"))
    assert f"Photographed {scripts}" in guest.locator("h1").inner_text()


def test_a_photo_without_a_code_says_what_to_do(new_page, tmp_path):
    Image.new("RGB", (640, 480), (200, 180, 160)).save(tmp_path / "wall.png")
    guest = new_page()
    guest.goto("/join")
    guest.locator("#picture").set_input_files(tmp_path / "wall.png")
    # Sent by the script right after it is taken.
    summary = guest.get_by_test_id("error-summary")
    summary.get_by_role("link", name="Photo of the QR code").wait_for()
    assert "No QR code found" in guest.locator("#picture_note").inner_text()
    check(guest)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_square_on_a_screen_brings_a_guest_in(site, new_page, tmp_path, scheme):
    lead = new_page(color_scheme=scheme)
    signed_in(lead, site)
    name = f"遠足 & {scheme}"
    group = make(lead, name)
    assert CODE.match(code(lead, group))
    link = scanned(lead, tmp_path)
    assert link.startswith(f"{site.url}/join?code=")
    assert quote(name, safe="") in link
    # The downloadable picture has the same content.
    png = lead.request.get(f"/api/v1{group}/invite.png")
    (tmp_path / "file.png").write_bytes(png.body())
    read = subprocess.run(["zbarimg", "-q", "--raw", str(tmp_path / "file.png")],
                          capture_output=True, text=True, timeout=30)
    assert read.stdout.strip() == link

    guest = new_page(color_scheme=scheme)
    guest.goto(link)
    assert name in guest.locator("h1").inner_text()
    assert "Mei" in guest.locator(".lead").inner_text()
    check(guest)
    # Viewing does not join.
    lead.goto(group)
    assert lead.get_by_test_id("member").count() == 1
    guest.get_by_role("button", name="Join group").click()
    guest.get_by_test_id("error-summary").wait_for()
    check(guest)
    join_as_guest(guest, link, "Tavi")
    assert guest.get_by_test_id("member").count() == 2
    check(guest)
    lead.reload()
    assert "Tavi" in lead.get_by_test_id("members").inner_text()
    check(lead)


def test_every_page_of_a_group_is_accessible_and_fits(site, new_page):
    lead = new_page()
    signed_in(lead, site, "sam@example.test")
    lead.goto("/groups")
    lead.locator("#name").fill("")
    lead.get_by_role("button", name="Create group").click()
    lead.get_by_test_id("error-summary").wait_for()
    check(lead)
    group = make(lead, "Walk " + "w" * 50)
    link = "/join?code=" + code(lead, group).replace(" ", "")
    guest = new_page()
    join_as_guest(guest, link, "Gia")
    lead.goto(group)
    lead.locator(".group-add summary").click()
    press(lead, "Add")
    lead.get_by_test_id("error-summary").wait_for()
    check(lead)
    lead.locator("#waypoints #name").fill("Tea house")
    lead.locator("#place").fill("https://www.openstreetmap.org/#map=17/24.9683/121.5881")
    press(lead, "Add")
    lead.get_by_test_id("waypoints").wait_for()
    for path in ["", "/invite", "/settings", "/leave", "/close", "/emergency"]:
        lead.goto(group + path)
        check(lead)
    lead.goto(f"{group}/settings")
    removal = lead.locator("a[href$='/remove']").get_attribute("href")
    for path in [removal, removal.replace("/remove", "/lead")]:
        lead.goto(path)
        check(lead)
    # The same confirmation as a dialog.
    lead.goto(f"{group}/settings")
    lead.locator("a[href$='/remove']").click()
    lead.locator("dialog").wait_for()
    check(lead)
    # The code is kept, so that a removed member gets the explanation.
    lead.locator("dialog [name=renew]").uncheck()
    lead.locator("dialog").get_by_role("button", name="Remove from group").click()
    lead.get_by_test_id("removed").wait_for()
    check(lead)
    for path, words in [(link, "You were removed"), ("/join?code=AAAAAA", "Group not found"),
                        ("/join?code=1", "A code has 6"), ("/join", "Join a group")]:
        guest.goto(path)
        assert words in guest.locator("main").inner_text()
        check(guest)
    lead.goto(f"{group}/invite")
    press(lead, "Turn off")
    lead.get_by_text("Joining is off.").wait_for()
    check(lead)
    lead.goto(f"{group}/close")
    press(lead, "Close group")
    lead.wait_for_url("**/groups")
    lead.goto(group)
    check(lead)


def test_each_refusal_says_what_to_do_and_answers_its_status(site, new_page, mei, jun):
    lead = new_page()
    signed_in(lead, site)
    group = make(lead, "Refusals")
    first = code(lead, group).replace(" ", "")

    def refused(status, words, typed):
        answer = jun.get(f"/join?code={typed}&name=Harmless")
        assert answer.status == status and words in html.unescape(answer.text)
        fields = {"csrf_token": jun.token("/join?code=AAAAAA"), "code": typed}
        assert jun.post("/join", fields).status == status

    refused(404, "Group not found", "ABCDEF" if first != "ABCDEF" else "ABCDEG")
    press(lead, "New code")
    lead.get_by_text("New code created").wait_for()
    refused(404, "If the leader has created a new one", first)
    second = code(lead, group).replace(" ", "")
    assert second != first
    press(lead, "Turn off")
    lead.get_by_text("Joining is off.").wait_for()
    refused(410, "Ask the leader for a new one", second)
    press(lead, "Turn on")
    lead.get_by_test_id("invite-code").wait_for()
    lead.goto(f"{group}/close")
    press(lead, "Close group")
    lead.wait_for_url("**/groups")
    refused(410, "Ask for the code of a new group", second)


def test_the_old_link_is_understood_when_it_is_pasted(site, new_page):
    lead, other = new_page(), new_page()
    signed_in(lead, site)
    signed_in(other, site, "jun@example.test")
    group = make(lead, "Old links")
    plain = code(lead, group).replace(" ", "").lower()
    other.goto("/join")
    other.locator("#code").fill(f"hither://join?code={plain}&name=Group%20Name")
    press(other, "Join")
    assert "Old links" in other.locator("h1").inner_text()
    press(other, "Join group")
    other.wait_for_url(f"**{group}")


def test_leaving_hands_the_lead_on_and_the_last_one_closes_the_group(site, new_page):
    lead, guest = new_page(), new_page()
    signed_in(lead, site)
    group = make(lead, "Handing on")
    join_as_guest(guest, "/join?code=" + code(lead, group).replace(" ", ""), "Kim")
    lead.goto(f"{group}/leave")
    assert "Kim will be the new leader" in lead.locator("main").inner_text()
    press(lead, "Leave group")
    lead.wait_for_url("**/groups")
    assert lead.goto(group).status == 404
    guest.reload()
    assert "Leader" in guest.get_by_test_id("member").inner_text()
    guest.goto(f"{group}/leave")
    assert "the group closes" in guest.locator("main").inner_text()
    press(guest, "Leave group")
    guest.wait_for_url("**/groups")


def test_all_of_it_works_without_scripts(site, new_page):
    lead, guest = new_page(java_script_enabled=False), new_page(java_script_enabled=False)
    lead.goto("/sign-in")
    lead.locator("#email").fill("mei@example.test")
    lead.locator("#password").fill(site.demo_password())
    press(lead, "Sign in")
    group = make(lead, "Plain")
    join_as_guest(guest, "/join?code=" + code(lead, group).replace(" ", ""), "Gia")
    assert "need JavaScript" in guest.content()
    press(guest, "Need help")
    guest.get_by_text("Sent to everyone").wait_for()
    lead.goto(group)
    assert "Gia needs help" in lead.get_by_test_id("log").text_content()
    press(lead, "Emergency")
    press(lead, "Send emergency alert")
    guest.goto(group)
    assert "Mei: emergency" in guest.get_by_test_id("log").text_content()


def test_the_code_is_shared_copied_and_counted_down_by_a_script(site, new_page):
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    signed_in(page, site)
    make(page, "Shared")
    assert re.fullmatch(r"Expires in 2[34] h", page.locator("[data-left]").inner_text())
    assert "1 person" in page.locator(".invite-sheet").inner_text()
    copy = page.get_by_role("button", name="Copy link")
    copy.click()
    # Without the system's sheet, copying is the main action.
    assert ("button-outline" in copy.get_attribute("class")) == page.evaluate(
        "() => Boolean(navigator.share)")
    page.get_by_text("Copied").wait_for()
    assert "/join?code=" in page.evaluate("navigator.clipboard.readText()")


def test_a_code_is_scanned_in_the_page_where_the_browser_can(site, new_page):
    lead, page = new_page(), new_page()
    signed_in(lead, site)
    group = make(lead, "Scanned")
    plain = code(lead, group).replace(" ", "")
    # A camera that shows another QR code first, then the group's.
    page.add_init_script("""
      let shown = ["https://elsewhere.example/", "CODE"];
      window.BarcodeDetector = class {
        static async getSupportedFormats() { return ["qr_code"]; }
        async detect() { return [{ rawValue: shown.length > 1 ? shown.shift() : shown[0] }]; }
      };
      navigator.mediaDevices.getUserMedia = async () => {
        const canvas = document.createElement("canvas");
        const brush = canvas.getContext("2d");
        setInterval(() => brush.fillRect(0, 0, Math.random() * 99, 99), 50);
        return canvas.captureStream(20);
      };
    """.replace("CODE", f"{site.url}/join?code={plain}&name=Scanned"))
    page.goto("/join")
    press(page, "Scan")
    page.get_by_role("heading", name="Join Scanned?").wait_for()
    other = new_page()
    other.add_init_script("""
      window.BarcodeDetector = class {
        static async getSupportedFormats() { return ["qr_code"]; }
      };
      navigator.mediaDevices.getUserMedia = async () => { throw new Error("denied"); };
    """)
    other.goto("/join")
    press(other, "Scan")
    other.get_by_text("Camera access is blocked").wait_for()
    check(other)


@pytest.mark.parametrize("guesses", [300, pytest.param(10_000, marks=pytest.mark.long)])
def test_thousands_of_guesses_find_nothing(own_site, guesses):
    site = own_site(PAIRSPOT_RATE_LIMITS="on", PAIRSPOT_DEMO="1")
    alphabet = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
    statuses = Counter()
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=60)
    for number in range(guesses):
        guess, rest = "", number * 7919 + 12_345_678
        for _ in range(6):
            guess, rest = guess + alphabet[rest % 31], rest // 31
        connection.request("GET", f"/join?code={guess}", headers={"Host": site.host})
        answer = connection.getresponse()
        answer.read()
        statuses[answer.status] += 1
    connection.close()
    # Ten a minute: the surplus shows how many minutes it took.
    assert set(statuses) == {404, 429}
    assert 10 <= statuses[404] <= 30
    # No other user is refused, and members stay members.
    assert Visitor(site).sign_in("mei@example.test").get("/groups").status == 200
