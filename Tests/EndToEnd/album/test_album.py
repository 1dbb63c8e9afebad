"""The album in a browser: photos are added, seen by allowed viewers, and downloaded with their
stories and without places and camera data."""

import json
import re
import subprocess
import zipfile

import pytest

import pictures
from people import Visitor
from test_pages import check, signed_in

# Some camera metadata that must not be in an album.
TELLING = ("GPS", "Make", "Model", "SerialNumber", "DateTimeOriginal", "MakerNote", "Thumbnail")


def tags(folder, content, name="photo"):
    """All tags of a photo found by exiftool, by group and name."""
    path = folder / name
    path.write_bytes(content)
    done = subprocess.run(
        ["exiftool", "-j", "-G", "-a", path], capture_output=True, check=True, timeout=60)
    return json.loads(done.stdout)[0]


def told_with(folder, story):
    """A camera's photo with a story under our mark, as if from another site."""
    path = folder / "told.jpg"
    path.write_bytes(pictures.WITH_PLACE.read_bytes())
    subprocess.run(
        ["exiftool", "-q", "-overwrite_original", "-charset", "exif=UTF8",
         "-DocumentName=ai.album.story", f"-ImageDescription={story}", path],
        check=True, timeout=60)
    return path


def empty_album(site, person):
    """Removes photos of earlier tests from a user's album."""
    while True:
        links = shown(person.get("/album"))
        if not links:
            return
        for link in links:
            fields = person.get(f"/album/{link}/delete").form(f"/album/{link}/delete")
            assert person.post(f"/album/{link}/delete", fields).status == 303


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_three_photos_are_added_on_a_phone(site, new_page, tmp_path, script):
    sam = Visitor(site).sign_in("sam@example.test")
    empty_album(site, sam)
    story = "雨後的湖, and the two of us 🌧"
    files = [pictures.TURNED, pictures.drawn_png(tmp_path), told_with(tmp_path, story)]
    page = new_page(java_script_enabled=script)
    page.goto("/sign-in")
    page.locator("#email").fill("sam@example.test")
    page.locator("#password").fill(site.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("link", name="Album").click()
    page.get_by_text("Your first photo goes here").wait_for()
    if script:
        with page.expect_file_chooser() as chooser:
            page.get_by_text("Add photos").click()
        chooser.value.set_files(files)
        page.get_by_role("dialog", name="3 photos").wait_for()
    else:
        page.get_by_text("Add photos").click()
        page.locator("#file").set_input_files(files)
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_test_id("toast").get_by_text("Added to your album").wait_for()
    photos = page.get_by_test_id("photo")
    assert photos.count() == 3
    told = photos.filter(has_text=story)
    assert told.count() == 1
    loaded = "image => image.decode().then(() => image.naturalWidth)"
    widths = [image.evaluate(loaded) for image in photos.locator("img").all()]
    assert sorted(widths) == [102, 200, 300]

    told.get_by_role("link").click()
    page.get_by_test_id("story").get_by_text(story).wait_for()
    link = page.get_by_role("link", name="Download").get_attribute("href")
    found = tags(tmp_path, downloaded(site, page, link))
    assert found["EXIF:ImageDescription"] == story
    assert found["XMP:Description"] == story
    assert [name for name in found if any(word in name for word in TELLING)] == []


def downloaded(site, page, link):
    answer = page.request.get(link)
    assert answer.status == 200
    headers = answer.headers
    assert headers["content-disposition"].startswith('attachment; filename="pairspot-20')
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "private, no-store"
    return answer.body()


def test_refused_files_are_named_and_the_others_go_in(site, new_page, tmp_path):
    sam = Visitor(site).sign_in("sam@example.test")
    empty_album(site, sam)
    page = new_page()
    signed_in(page, site, "sam@example.test")
    (tmp_path / "from-a-phone.heic").write_bytes(pictures.heic())
    (tmp_path / "cut.jpg").write_bytes(pictures.truncated_jpeg())
    files = [tmp_path / "from-a-phone.heic", pictures.WITH_PLACE, tmp_path / "cut.jpg"]
    page.goto("/album")
    page.locator("dialog #file").set_input_files(files)
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_test_id("error-summary").wait_for()
    told = page.get_by_test_id("refused").all_inner_texts()
    assert len(told) == 2
    assert "from-a-phone.heic" in told[0] and "damaged" in told[0]
    assert "cut.jpg" in told[1] and "damaged" in told[1]
    assert page.get_by_test_id("photo").count() == 1
    check(page)


HOSTILE = {
    "60,000 px a side": lambda: pictures.png_bomb(60_000),
    "text": lambda: b"no photo at all",
    "drawing": lambda: pictures.SVG,
}


@pytest.mark.parametrize("bad", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_refused_and_the_server_lives(sam, bad):
    fields = sam.get("/album").form("/album")
    answer = sam.post("/album", fields, [("file", "nice.jpg", bad())])
    assert answer.status == 422
    assert "nice.jpg" in answer.text
    assert sam.get("/album").status == 200


def test_thirty_one_megabytes_are_too_much_and_the_page_says_so(sam):
    fields = sam.get("/album").form("/album")
    answer = sam.post("/album", fields, [("file", "big.jpg", bytes(31 << 20))])
    assert answer.status == 422
    assert "30 MB" in answer.text


def test_a_shared_photo_is_seen_by_the_partner_alone(mei, jun, sam):
    fields = mei.get("/album").form("/album") | {"shared": "1"}
    added = mei.post("/album", fields, [("file", "a.png", pictures.png_bytes())])
    assert added.location == "/album"
    link = "/album/" + mei.get("/album").text.split('<a href="/album/')[1].split('"')[0]
    assert [person.get(link).status for person in (mei, jun, sam)] == [200, 200, 404]
    picture = "/media/photos/" + mei.get(link).text.split('"/media/photos/')[1].split('"')[0]
    assert [person.get(picture).status for person in (mei, jun, sam)] == [200, 200, 404]
    assert mei.get(picture).headers["Cache-Control"] == "private, no-store"
    fields = {"csrf_token": mei.token(), "shared": "0"}
    assert mei.post(link, fields).status == 303
    assert [person.get(link).status for person in (mei, jun)] == [200, 404]


def test_deleting_asks_first(site, new_page, sam):
    fields = sam.get("/album").form("/album")
    sam.post("/album", fields, [("file", "a.png", pictures.png_bytes())])
    page = new_page()
    signed_in(page, site, "sam@example.test")
    page.goto("/album")
    before = page.get_by_test_id("photo").count()
    page.get_by_test_id("photo").first.get_by_role("link").click()
    page.get_by_role("link", name="Delete photo").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete photo").click()
    page.get_by_test_id("toast").get_by_text("Photo deleted").wait_for()
    assert page.get_by_test_id("photo").count() == before - 1


def four_photos(site, sam):
    empty_album(site, sam)
    for number in range(4):
        sam.post("/album", sam.get("/album").form("/album"),
                 [("file", f"{number}.png", pictures.png_bytes())])


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_several_photos_are_downloaded_and_deleted_together(site, new_page, tmp_path, sam, script):
    four_photos(site, sam)
    page = new_page(java_script_enabled=script)
    signed_in(page, site, "sam@example.test")
    page.goto("/album")
    page.get_by_role("link", name="Select").click()
    photos = page.get_by_test_id("photo")
    for number in [0, 2]:
        photos.nth(number).locator("img").click()
    if script:
        page.get_by_text("2 selected").wait_for()
    for _ in range(2):
        with page.expect_download() as download:
            page.get_by_role("button", name="Download").click()
        assert download.value.suggested_filename.startswith("pairspot-photos-")
        download.value.save_as(tmp_path / "photos.zip")
        with zipfile.ZipFile(tmp_path / "photos.zip") as archive:
            assert len(archive.namelist()) == 2 and archive.testzip() is None
        # The form can be sent again.
        page.wait_for_timeout(1200)
    page.get_by_role("button", name="Delete").click()
    toast = page.get_by_test_id("toast")
    toast.get_by_text("Photos deleted").wait_for()
    assert photos.count() == 2
    toast.get_by_role("link").click()
    page.get_by_test_id("deleted-photos").wait_for()


def test_a_photo_is_seen_in_full_size_and_enlarged_by_a_tap(site, new_page, sam):
    four_photos(site, sam)
    page = new_page()
    signed_in(page, site, "sam@example.test")
    page.goto("/album")
    page.get_by_test_id("photo").first.get_by_role("link").click()
    page.get_by_test_id("photo").get_by_role("link").click()
    dialog = page.get_by_role("dialog")
    picture = dialog.get_by_test_id("full-picture")
    picture.wait_for()
    before = picture.bounding_box()["width"]
    picture.click()
    assert picture.bounding_box()["width"] >= 2 * before
    assert picture.get_attribute("src").endswith("/file")
    picture.click()
    assert picture.bounding_box()["width"] == before
    first = picture.get_attribute("src")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("first => document.querySelector('dialog img')?.getAttribute('src')"
                           " !== first", arg=first)
    check(page)
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")


def test_a_story_is_written_where_it_stands(site, new_page, sam):
    four_photos(site, sam)
    page = new_page()
    signed_in(page, site, "sam@example.test")
    page.goto("/album")
    page.get_by_test_id("photo").first.get_by_role("link").click()
    address = page.url
    page.get_by_role("link", name="Add story").click()
    field = page.locator("#story")
    field.press_sequentially("By the lake")
    # Arrow keys belong to the field.
    field.press("ArrowLeft")
    assert page.url == address
    # The words are not held back as unsaved once the question is answered.
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.get_by_role("button", name="Save story").click()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_test_id("story").get_by_text("By the lake").wait_for()
    assert page.url == address and asked == []


def add(person, content, **ticks):
    """Adds one photo; returns the path of its page."""
    page = person.get("/album")
    before = shown(page)
    assert person.post(
        "/album", page.form("/album") | ticks, [("file", "a.jpg", content)]).location == "/album"
    # The album is sorted by the day on which a photo was taken.
    [added] = shown(person.get("/album")) - before
    return f"/album/{added}"


def shown(page):
    return set(re.findall(r'<a href="/album/([0-9a-f-]{36})"', page.text))


def test_the_date_is_kept_unless_it_is_unticked(sam):
    photo = pictures.WITH_PLACE.read_bytes()
    assert "Taken on 23 November 2003 at 18:07" in sam.get(add(sam, photo)).text
    assert "Taken on" not in sam.get(add(sam, photo, keep_date="")).text


def test_words_that_a_photo_brings_wait_as_a_draft(sam, tmp_path):
    path = tmp_path / "caption.jpg"
    path.write_bytes(pictures.WITH_PLACE.read_bytes())
    subprocess.run(["exiftool", "-q", "-overwrite_original", "-XMP-dc:Description=Our quiet bay",
                    path], check=True, timeout=60)
    link = add(sam, path.read_bytes())
    assert "This photo has a caption." in sam.get(link).text
    found = tags(tmp_path, sam.get(f"{link}/file").body)
    assert "Our quiet bay" not in json.dumps(found), "words that nobody chose left with the file"
