"""Trainings: created by admins with and without scripts, with streamed films."""

import os
import re
import struct
import time
from pathlib import Path

import pytest

import pictures
from people import Visitor
from test_pages import check, signed_in
from test_second_factor import code, run

PASSWORD = "a very quiet lamp"


def box(kind, content):
    return struct.pack(">I", len(content) + 8) + kind + content


def film(length=0):
    """An MP4 of 90 s according to its boxes, with this size in bytes, no two kilobytes alike."""
    header = box(b"mvhd", bytes(12) + struct.pack(">II", 1000, 90_000) + bytes(80))
    handler = box(b"hdlr", bytes(8) + b"vide" + bytes(13))
    content = b"".join(n.to_bytes(8, "big") * 128 for n in range(length // 1024 + 1))
    return (box(b"ftyp", b"isom" + struct.pack(">I", 512) + b"isommp41")
            + box(b"moov", header + box(b"trak", box(b"mdia", handler))) + box(b"mdat", content))


def enrolled(site, name):
    """An admin who has just been set up, with plain requests."""
    link = run(site, "admin", "create", "--email", f"{name}@example.test", "--role", "admin")[-1]
    path = link.removeprefix(site.url)
    admin = Visitor(site)
    admin.post("/staff/enrol", admin.get(path).form("/staff/enrol") | {"begin": "1"})
    page = admin.get(path)
    secret = page.text.split('class="secret"')[1].split(">")[1].split("<")[0].replace(" ", "")
    typed = {"display_name": name.title(), "password": PASSWORD, "accept": "1",
             "code": code(secret)}
    assert admin.post("/staff/enrol", page.form("/staff/enrol") | typed).status == 200
    return admin


@pytest.fixture(scope="module")
def admin(site):
    return enrolled(site, "ada")


def as_admin(page, admin):
    """Makes a browser the admin's."""
    page.context.add_cookies([
        {"name": name, "value": value.value, "url": admin.site.url}
        for name, value in admin.cookies.items()])
    return page


def token(admin):
    return {"csrf_token": admin.token("/admin/trainings/new")}


def made(admin, name, publish=True):
    """The path of the admin page of a new training."""
    stages = [("5", "0", "free", "", "Warm up"), ("1", "30", "power", "180", "Over the hill"),
              ("2", "0", "cadence", "90", ""), ("0", "45", "resistance", "30", "")]
    fields = {"name": name, "description": f"About {name}.\nTwice.", "difficulty": "moderate"}
    for number, stage in enumerate(stages, 1):
        keys = ("minutes", "seconds", "target", "value", "text")
        fields |= {f"{key}_{number}": part for key, part in zip(keys, stage)}
    answer = admin.post("/admin/trainings/new", token(admin) | fields)
    assert answer.status == 303, answer.text
    if publish:
        assert admin.post(answer.location, token(admin) | {"button": "publish"}).status == 303
    return answer.location


def as_people(desk):
    return desk.replace("/admin/", "/workouts/")


def send_film(admin, desk, content):
    return admin.post(f"{desk}/video", token(admin), [("file", "film.mp4", content)])


def address_of_film(visitor, desk):
    return re.search(r'src="(/media/trainings/[^"]+\.mp4)"', visitor.get(as_people(desk)).text)[1]


def peak(site):
    """Peak memory of the handlers, in bytes."""
    return sum(
        int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{id}/status").read_text())[1]) * 1024
        for id in site.processes("handlers"))


def files_below(folder):
    return {path for path in folder.rglob("*") if path.is_file()}


def test_a_film_of_60_mb_goes_through_without_staying_in_memory(site, admin):
    desk = made(admin, "Long film")
    # Other tests keep drafts there.
    uploads = files_below(site.data / "run/uploads")
    assert send_film(admin, desk, film(1024)).status == 303
    before, content = peak(site), film(60_000_000)
    assert send_film(admin, desk, content).status == 303
    assert peak(site) - before < 8_000_000
    assert admin.get(address_of_film(admin, desk)).body == content
    assert peak(site) - before < 8_000_000
    folder = site.data / "media" / desk.replace("/admin/", "")
    assert [path.stat().st_size for path in folder.iterdir()] == [len(content)]
    assert files_below(site.data / "run/uploads") <= uploads


def test_a_film_is_served_in_ranges_to_who_is_signed_in(site, admin, sam):
    desk, content = made(admin, "Ranges"), film(300_000)
    assert send_film(admin, desk, content).status == 303
    path = address_of_film(sam, desk)

    head = sam.ask("HEAD", path, None, {})
    assert (head.status, head.body) == (200, b"")
    assert head.headers["Content-Length"] == str(len(content))
    assert head.headers["Content-Type"] == "video/mp4"
    assert head.headers["Accept-Ranges"] == "bytes"
    assert "private" in head.headers["Cache-Control"]
    assert head.headers["X-Content-Type-Options"] == "nosniff"

    for asked, expected in [("bytes=0-0", (0, 1)), ("bytes=1000-1999", (1000, 2000)),
                            ("bytes=200000-", (200_000, len(content))),
                            ("bytes=-500", (len(content) - 500, len(content)))]:
        answer = sam.get(path, Range=asked)
        start, end = expected
        assert answer.status == 206, asked
        assert answer.headers["Content-Range"] == f"bytes {start}-{end - 1}/{len(content)}"
        assert answer.body == content[start:end]
    part = sam.ask("HEAD", path, None, {"Range": "bytes=5-9"})
    assert (part.status, part.headers["Content-Length"], part.body) == (206, "5", b"")
    assert sam.get(path, Range=f"bytes={len(content)}-").status == 416
    # A part of a changed file is useless.
    assert sam.get(path, **{"Range": "bytes=0-9", "If-Range": '"other"'}).status == 200
    again = sam.get(path, **{"Range": "bytes=0-9", "If-Range": head.headers["ETag"]})
    assert (again.status, again.body) == (206, content[:10])

    nobody = Visitor(site)
    assert nobody.get(path, Range="bytes=0-9").status == 303
    assert admin.post(desk, token(admin) | {"button": "unpublish"}).status == 303
    assert sam.get(path, Range="bytes=0-9").status == 404
    draft = admin.get(path, Range="bytes=0-9")
    assert (draft.status, draft.headers["Cache-Control"]) == (206, "private, no-store")
    assert sam.get("/protected-media" + path.removeprefix("/media")).status == 404


RECORD = """async () => {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [320, 180];
  const brush = canvas.getContext("2d");
  const recorder = new MediaRecorder(
    canvas.captureStream(25), { mimeType: "video/mp4;codecs=avc1.42E01E" });
  const parts = [];
  recorder.ondataavailable = (event) => parts.push(event.data);
  recorder.start();
  for (let step = 0; step < 30; step += 1) {
    brush.fillStyle = `hsl(${step * 12} 70% 50%)`;
    brush.fillRect(0, 0, 320, 180);
    await new Promise((go) => setTimeout(go, 40));
  }
  const stopped = new Promise((go) => { recorder.onstop = go; });
  recorder.stop();
  await stopped;
  return [...new Uint8Array(await new Blob(parts).arrayBuffer())];
}"""

PLAY = """async (video) => {
  const next = (name) => new Promise((go, fail) => {
    video.addEventListener(name, go, { once: true });
    video.addEventListener("error", () => fail(video.error?.message), { once: true });
  });
  video.muted = true;
  if (video.readyState < 1) await next("loadedmetadata");
  const playing = next("timeupdate");
  await video.play();
  await playing;
  return [video.videoWidth, video.videoHeight];
}"""


def test_a_real_film_plays_for_a_member(site, new_page, admin):
    page = new_page()
    page.goto("/about")
    content = bytes(page.evaluate(RECORD))
    desk = made(admin, "Real film")
    answer = send_film(admin, desk, content)
    assert answer.status == 303, answer.text
    signed_in(page, site)
    page.goto(as_people(desk))
    assert page.get_by_test_id("video").evaluate(PLAY) == [320, 180]


def test_what_is_no_film_is_refused_and_the_one_before_stays(site, admin):
    desk, content = made(admin, "Refused"), film(5000)
    assert send_film(admin, desk, content).status == 303
    for wrong in [b"<script>alert(1)</script>", pictures.png_bytes(), content[:-9], b"\0" * 4096]:
        answer = send_film(admin, desk, wrong)
        assert answer.status == 422 and 'data-testid="error-summary"' in answer.text
    assert admin.get(address_of_film(admin, desk)).body == content


def test_a_training_is_made_without_scripts(new_page, admin, tmp_path):
    page = as_admin(new_page(java_script_enabled=False), admin)
    page.goto("/admin")
    page.get_by_role("link", name="Trainings").click()
    page.get_by_role("link", name="New training").click()
    page.locator("#name").fill("By hand")
    page.locator("#minutes_1").fill("5")
    for number, watts in [(2, "150"), (3, "120")]:
        page.get_by_role("button", name="Add stage").click()
        page.locator(f"#minutes_{number}").fill("2")
        page.locator(f"#target_{number}").select_option("power")
        page.locator(f"#value_{number}").fill(watts)
    page.get_by_role("button", name="Move up stage 3").click()
    page.get_by_role("button", name="Duplicate stage 2").click()
    assert [page.locator(f"#value_{n}").input_value() for n in (1, 2, 3, 4)] == [
        "", "120", "120", "150"]
    page.get_by_role("button", name="Remove stage 1").click()
    # Enter in a field saves; it presses none of the buttons beside the stages.
    page.locator("#text_1").fill("Steady")
    page.locator("#text_1").press("Enter")
    page.get_by_test_id("state").wait_for()
    assert page.get_by_test_id("toast").inner_text() == "Saved"
    assert page.locator("h1").inner_text() == "By hand"

    page.get_by_role("link", name="Video").click()
    (tmp_path / "film.mp4").write_bytes(film(2000))
    page.locator("#file").set_input_files(tmp_path / "film.mp4")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_test_id("state").wait_for()
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("link", name="Preview").click()
    assert page.locator(".stage-table tbody tr").count() == 3
    assert "6 minutes" in page.locator("article").inner_text()
    assert page.get_by_test_id("video").count() == 1

    page.go_back()
    page.get_by_role("link", name="Delete").click()
    assert "“By hand” and its stages will be deleted" in page.locator(".confirm").inner_text()
    page.get_by_role("button", name="Delete").click()
    page.wait_for_url("**/admin/trainings")
    assert "By hand" not in page.content()


def test_with_scripts_an_upload_shows_how_far_it_is(new_page, admin, tmp_path):
    desk = made(admin, "Progress")
    page = as_admin(new_page(), admin)
    page.goto(f"{desk}/video")
    page.evaluate("""() => {
      window.seen = [];
      const bar = document.querySelector("[role=progressbar]");
      new MutationObserver(() => window.seen.push(Number(bar.getAttribute("aria-valuenow"))))
        .observe(bar, { attributes: true, attributeFilter: ["aria-valuenow"] });
    }""")
    (tmp_path / "film.mp4").write_bytes(film(40_000_000))
    page.locator("#file").set_input_files(tmp_path / "film.mp4")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_test_id("state").wait_for()
    page.wait_for_url(f"**{desk}")
    seen = page.evaluate("window.seen")
    assert seen == sorted(seen) and seen[-1] == 100
    assert page.get_by_test_id("toast").inner_text() == "Saved"
    assert "1:30 · 40 MB" in page.content()

    page.goto(f"{desk}/video")
    (tmp_path / "page.mp4").write_text("<html>")
    page.locator("#file").set_input_files(tmp_path / "page.mp4")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_test_id("error-summary").wait_for()
    assert page.url.endswith("/video") and page.locator("#file[aria-invalid]").count() == 1
    # The form returned with errors works like the first one.
    page.locator("#file").set_input_files(tmp_path / "film.mp4")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_test_id("state").wait_for()


def test_the_pages_of_trainings_are_accessible_and_fit(site, new_page, admin):
    desk = made(admin, "Seen by all")
    cover = admin.post(
        f"{desk}/cover", token(admin),
        [("file", "a.png", pictures.png_bytes(size=(800, 600)))])
    assert cover.status == 303, cover.text
    assert send_film(admin, desk, film(1000)).status == 303
    page = as_admin(new_page(), admin)
    for path in ["/admin", "/admin/trainings", "/admin/trainings/new", desk, f"{desk}/edit",
                 f"{desk}/cover", f"{desk}/video", f"{desk}/delete", as_people(desk),
                 "/workouts/trainings"]:
        page.goto(path)
        check(page)
    page.goto("/admin/trainings/new")
    page.locator("#target_1").select_option("power")
    page.get_by_role("button", name="Save", exact=True).last.click()
    page.get_by_test_id("error-summary").wait_for()
    check(page)
    page.goto(f"{desk}/cover")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_test_id("error-summary").wait_for()
    check(page)
    page.goto(desk)
    page.get_by_role("link", name="Delete").click()
    page.locator("dialog").wait_for()
    check(page)
    member = new_page()
    signed_in(member, site)
    for path in ["/workouts/trainings", as_people(desk)]:
        member.goto(path)
        check(member)


@pytest.mark.parametrize("width", [390, 1280])
def test_tabs_of_workouts_stay_in_place_and_wide_screens_show_columns(
        site, new_page, admin, width):
    for name in ["Left of it", "Right of it"]:
        made(admin, name)
    page = new_page(viewport={"width": width, "height": 844})
    signed_in(page, site)
    places = []
    for path in ["/workouts", "/workouts/trainings"]:
        page.goto(path)
        assert page.locator("h1").all_inner_texts() == ["Workouts"]
        places.append(page.locator(".room-tabs").bounding_box())
    assert len({(box["x"], box["y"]) for box in places}) == 1
    left, right = [card.bounding_box() for card in page.get_by_test_id("training").all()[:2]]
    assert (left["y"] == right["y"]) == (width > 900)


def test_guests_see_trainings_and_others_are_asked_to_sign_in(site, new_page, admin):
    desk = made(admin, "For guests")
    page = new_page()
    page.goto("/workouts/trainings")
    assert "/sign-in" in page.url
    page.goto("/checkin")
    page.locator("#display_name").fill("Gia")
    page.locator("#contact_email").fill("gia-friend@example.test")
    page.locator("button[value=save]").first.click()
    site.mail_to("gia-friend@example.test")
    page.goto("/workouts/trainings")
    page.get_by_role("link", name="For guests", exact=True).click()
    assert page.url.endswith(as_people(desk))
    assert page.request.get("/admin/trainings").status == 404


def test_the_doctor_deletes_nothing_that_a_crash_left(site, admin):
    desk = made(admin, "Leftovers")
    assert send_film(admin, desk, film(1000)).status == 303
    folder = site.data / "media" / desk.replace("/admin/", "")
    own = next(folder.iterdir())
    stray = folder / "video_00000000-0000-4000-8000-000000000000.mp4"
    stray.write_bytes(b"left by a crash")
    os.utime(stray, (time.time() - 7200, time.time() - 7200))
    run(site, "doctor", "--repair")
    # It may have been a film, before an older database was restored. Once it is a day old it is
    # moved aside.
    assert stray.exists() and own.exists()


def test_captions_stand_beside_the_film_and_the_browser_reads_them(admin, new_page):
    desk = made(admin, "With captions")
    assert send_film(admin, desk, film(2000)).status == 303
    vtt = "WEBVTT\n\n00:00.000 --> 00:09.000\nEasy legs. 放鬆。\n".encode()
    sent = admin.post(f"{desk}/captions", token(admin) | {"language": "en"},
                      [("captions", "a.vtt", vtt)])
    assert sent.location == f"{desk}/video"
    page = as_admin(new_page(), admin)
    page.goto(as_people(desk))
    page.wait_for_function("document.querySelector('track').track.cues?.length === 1")
    assert page.evaluate("document.querySelector('track').track.cues[0].text") == "Easy legs. 放鬆。"
    page.goto(f"{desk}/video")
    check(page)
    page.locator("#captions").set_input_files(
        {"name": "a.srt", "mimeType": "text/plain", "buffer": b"1\n00:00 --> 00:01\nHi"})
    page.get_by_role("button", name="Save captions").click()
    page.get_by_test_id("error-summary").wait_for()
    assert "WEBVTT" in page.locator("#captions_note").inner_text()
    check(page)
