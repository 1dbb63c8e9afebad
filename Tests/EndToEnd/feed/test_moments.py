"""Moments: pictures and films that are seen for a day, with and without scripts."""

import contextlib
import json
import re
import secrets
import shutil
import subprocess
from datetime import datetime, timedelta, timezone

import pytest

import pictures
from instance import wait_until
from missed_check_ins import move
from people import Visitor
from test_pages import check, signed_in, wait_for_script


def words():
    """Words that no other test writes."""
    return f"Words {secrets.token_hex(6)}"


def couple(visitor):
    return visitor.get("/api/v1/account").text.split('"couple_id":"')[1][:36]


def share(visitor, text, file=("a.png", None), audience="followers"):
    """Sends the form of a new moment; returns the path of the moment."""
    name, content = file
    form = visitor.get("/moments/new").form("/moments")
    answer = visitor.post(
        "/moments", form | {"words": text, "audience": audience},
        [("file", name, content or pictures.png_bytes())])
    assert answer.status == 303, answer.text
    own = couple(visitor)
    made = json.loads(visitor.get(f"/api/v1/couples/{own}/moments").text)["moments"]
    return next(f"/moments/{own}/{one['id']}" for one in made if one["words"] == text)


def delete(visitor, moment):
    page = f"{moment}/delete"
    assert visitor.post(page, visitor.get(page).form(page)).status == 303


@pytest.fixture
def shared(mei):
    """Two moments of Mei's, which are deleted after the test."""
    made = [share(mei, words()) for _ in range(2)]
    yield made
    for moment in made:
        with contextlib.suppress(StopIteration):
            delete(mei, moment)


@pytest.fixture
def following(sam, mei):
    """Sam follows Mei and Jun."""
    path = f"/couples/{couple(mei)}"
    sam.post(f"{path}/follow", {"csrf_token": sam.token(path)})
    yield
    sam.post(f"{path}/unfollow", {"csrf_token": sam.token(path)})


def opened(page, path):
    """Opens a moment whose script has started."""
    page.goto(path)
    wait_for_script(page, "moments/viewer.js")
    return page


def shown(page, moment):
    """Waits until a moment is shown."""
    page.locator(f"[data-moment][data-address='{moment}']").wait_for()


def test_a_picture_is_shared_and_watched_by_keyboard(site, new_page, shared):
    page = new_page(reduced_motion="no-preference")
    signed_in(page, site, "jun@example.test")
    page.get_by_test_id("moments").get_by_role("link", name="New", exact=True).click()
    text = words()
    page.locator("#words").fill(text)
    page.locator("#file").set_input_files(
        {"name": "a.png", "mimeType": "image/png", "buffer": pictures.png_bytes()})
    check(page)
    page.get_by_role("button", name="Share").click()
    page.get_by_test_id("moments").wait_for()
    check(page)
    first, second = shared
    opened(page, first)
    # The time stands still, so that the keys alone move on.
    page.keyboard.press("Space")
    page.get_by_role("button", name="Pause", pressed=True).wait_for()
    check(page)
    page.keyboard.press("ArrowRight")
    shown(page, second)
    page.keyboard.press("ArrowLeft")
    shown(page, first)
    page.keyboard.press("Escape")
    page.wait_for_url("**/")


def test_moments_go_on_by_themselves_unless_less_motion_is_wanted(site, new_page, shared):
    first, second = shared
    for motion in ["no-preference", "reduce"]:
        page = new_page(reduced_motion=motion)
        signed_in(page, site, "jun@example.test")
        opened(page, first)
        if motion == "reduce":
            assert page.locator(".is-playing").count() == 0
            assert page.locator("[data-pause]").is_hidden()
        else:
            shown(page, second)


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="ffmpeg is not installed")
def test_a_film_over_the_limit_is_refused_before_it_is_sent(site, new_page, tmp_path):
    page = new_page()
    film = tmp_path / "film.mp4"
    with film.open("wb") as file:
        file.truncate((128 << 20) + 1)
    signed_in(page, site, "jun@example.test")
    page.goto("/moments/new")
    wait_for_script(page, "upload.js")
    sent = []
    page.on("request", lambda request: request.url.endswith("/moments") and sent.append(request))
    page.locator("#words").fill("Kept words")
    page.locator("#file").set_input_files(film)
    page.get_by_text("This film is over 128 MB.").wait_for()
    check(page)
    page.get_by_role("button", name="Share").click()
    assert page.locator("#file").evaluate("field => field === document.activeElement")
    assert sent == [] and page.locator("#words").input_value() == "Kept words"
    page.locator("#file").set_input_files(
        {"name": "a.png", "mimeType": "image/png", "buffer": pictures.png_bytes()})
    page.get_by_text("This film is over 128 MB.").wait_for(state="hidden")


def test_an_upload_can_be_cancelled_and_nothing_is_lost(site, new_page):
    page = new_page()
    signed_in(page, site, "jun@example.test")
    page.goto("/moments/new")
    wait_for_script(page, "upload.js")
    # Requests stay on their way.
    page.route("**/moments", lambda route: None)
    page.locator("#words").fill("Kept words")
    page.locator("#file").set_input_files(
        {"name": "a.png", "mimeType": "image/png", "buffer": pictures.png_bytes()})
    page.get_by_role("button", name="Share").click()
    page.get_by_role("progressbar").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("progressbar").wait_for(state="hidden")
    assert page.get_by_role("button", name="Share").evaluate(
        "button => button === document.activeElement && !button.hasAttribute('aria-busy')")
    assert page.locator("#words").input_value() == "Kept words"
    assert page.locator("#file").evaluate("field => field.files.length") == 1
    assert page.locator("dialog[open]").count() == 0


def test_a_refused_moment_keeps_its_file(site, new_page):
    page = new_page()
    signed_in(page, site, "jun@example.test")
    page.goto("/moments/new")
    wait_for_script(page, "upload.js")
    page.locator("#words").fill("w" * 151)
    page.locator("#file").set_input_files(
        {"name": "a.png", "mimeType": "image/png", "buffer": pictures.png_bytes()})
    page.get_by_role("button", name="Share").click()
    page.get_by_test_id("error-summary").wait_for()
    assert page.locator("#file").evaluate("field => field.files[0].name") == "a.png"
    check(page)
    page.locator("#words").fill(words())
    page.get_by_role("button", name="Share").click()
    page.get_by_test_id("moments").wait_for()


def test_a_file_that_nginx_refuses_is_too_large_and_nothing_is_lost(site, new_page):
    page = new_page()
    signed_in(page, site, "jun@example.test")
    page.goto("/moments/new")
    wait_for_script(page, "upload.js")
    page.route("**/moments", lambda route: route.fulfill(
        status=413, content_type="text/html", body="<title>413</title>"))
    page.locator("#words").fill("Kept words")
    page.locator("#file").set_input_files(
        {"name": "a.png", "mimeType": "image/png", "buffer": pictures.png_bytes()})
    page.get_by_role("button", name="Share").click()
    page.get_by_role("dialog").get_by_text("These files are too large.").wait_for()
    assert page.locator("#words").input_value() == "Kept words"


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="ffmpeg is not installed")
def test_a_film_over_the_limit_is_refused_with_words_without_scripts(mei):
    form = mei.get("/moments/new").form("/moments")
    film = b"\0\0\0\x14ftypisom" + bytes(128 << 20)
    answer = mei.post("/moments", form | {"words": "Kept words"}, [("file", "film.mp4", film)])
    assert answer.status == 413
    assert "This film is over 128 MB." in answer.text and "Kept words" in answer.text


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="ffmpeg is not installed")
def test_a_film_is_saved_by_its_author_alone(mei, sam, following, tmp_path):
    film = tmp_path / "film.mp4"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=15", "-t", "1",
         "-pix_fmt", "yuv420p", str(film)], check=True)
    moment = share(mei, words(), ("film.mp4", film.read_bytes()))
    saved = mei.get(f"{moment}/film")
    assert saved.headers["Content-Disposition"].startswith('attachment; filename="pairspot-')
    assert saved.headers["Content-Type"] == "video/mp4" and saved.body[4:8] == b"ftyp"
    assert "no-store" in saved.headers["Cache-Control"]
    assert sam.get(moment).status == 200 and sam.get(f"{moment}/film").status == 404
    delete(mei, moment)


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="ffmpeg is not installed")
def test_a_film_is_cleaned_and_played_in_parts(mei, tmp_path):
    film = tmp_path / "film.mp4"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=15", "-f",
         "lavfi", "-i", "sine", "-t", "2", "-metadata", "location=+25.03+121.56/", "-c:v",
         "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", str(film)], check=True)
    moment = share(mei, words(), ("film.mp4", film.read_bytes()))
    page = mei.get(moment).text
    address = re.search(r'<video[^>]* src="([^"]+)"', page)[1]
    poster = re.search(r'poster="([^"]+)"', page)[1]
    whole = mei.get(address)
    assert whole.headers["Content-Type"] == "video/mp4"
    assert "no-store" in whole.headers["Cache-Control"]
    assert b"+25.03" not in whole.body
    part = mei.get(address, Range="bytes=0-99")
    assert part.status == 206 and part.body == whole.body[:100]
    assert mei.get(poster).headers["Content-Type"] == "image/jpeg"
    delete(mei, moment)
    assert mei.get(address).status == 404


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="ffmpeg is not installed")
def test_a_film_that_is_too_long_is_refused_and_its_words_stay(mei, tmp_path):
    film = tmp_path / "film.mp4"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=size=64x64:rate=5", "-t", "20",
         "-pix_fmt", "yuv420p", str(film)], check=True)
    form = mei.get("/moments/new").form("/moments")
    answer = mei.post(
        "/moments", form | {"words": "Kept words"}, [("file", "film.mp4", film.read_bytes())])
    assert answer.status == 422
    assert "longer than 15 seconds" in answer.text and "Kept words" in answer.text


def test_the_couple_sees_who_saw_it_without_scripts(site, new_page, shared, following):
    page = new_page(java_script_enabled=False)
    page.goto("/sign-in")
    page.locator("#email").fill("sam@example.test")
    page.locator("#password").fill(site.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_test_id("moment-circle").first.click()
    page.get_by_test_id("moment").wait_for()
    page.goto(shared[0])
    page.get_by_role("link", name="Next moment").click()
    assert page.url.endswith(shared[1])
    jun = Visitor(site).sign_in("jun@example.test")
    assert "Sam" in jun.get(f"{shared[1]}/viewers").text
    # Sam does not see its viewers.
    assert "moment-viewers" not in page.content()
    text = words()
    form = jun.get(shared[1]).form(f"{shared[1]}/answer")
    answer = jun.post(f"{shared[1]}/answer", form | {"text": text})
    talk = jun.get(answer.location.partition("#")[0]).text
    assert text in talk and "Answer to a moment" in talk


def test_a_block_hides_moments_and_a_day_removes_them(own_site):
    site = own_site(PAIRSPOT_DEMO="1")
    mei, sam = (Visitor(site).sign_in(f"{name}@example.test") for name in ["mei", "sam"])
    moment, path = share(mei, words()), f"/couples/{couple(mei)}"
    sam.post(f"{path}/follow", {"csrf_token": sam.token(path)})
    file = re.search(r"/media/moments/[^\"]+", sam.get(moment).text)[0]
    assert sam.get(file).status == 200
    assert sam.post(f"{path}/block", sam.get(f"{path}/block").form(f"{path}/block")).status == 303
    assert [sam.get(address).status for address in [moment, file]] == [404, 404]
    assert mei.get(file).status == 200
    later = datetime.now(timezone.utc) + timedelta(hours=24, seconds=1)
    move(site, later.strftime("%Y-%m-%dT%H:%M:%SZ"))
    assert [mei.get(address).status for address in [moment, file]] == [404, 404]
    wait_until(
        lambda: not any("moments" in path.parts for path in site.media()), 90,
        "the worker's removal of the files")
