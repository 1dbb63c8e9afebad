"""`/stories` in use: a photo is sent, returned with its story, and nothing is kept. The returned
files are verified with exiftool, exiv2 and djpeg."""

import re

import pytest

from people import EMPTY, Visitor
from test_photo_stories import (  # noqa: F401  (fixtures too)
    FAMILY, STORIES, end_reader, exiftool, expect_everywhere, expect_private, expect_sound, photos,
    run, same_pixels)

LANGUAGES = ["en", "zh-Hant", "zh-Hans"]


def waiting(site):
    """The kept photos."""
    return set((site.data / "run/uploads/stories").iterdir())


@pytest.fixture
def nothing_stays(site):
    """Nothing is kept after a download; photos of other tests may be removed in between."""
    before = waiting(site)
    yield
    assert waiting(site) <= before


def leave(visitor, photo):
    """Sends a photo alone; returns the page with its form."""
    fields = {"csrf_token": visitor.token("/stories"), "story": ""}
    return visitor.post("/stories", fields, [("file", photo.name, photo.read_bytes())])


@pytest.mark.parametrize("script", ["chinese", "family"])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.usefixtures("nothing_stays")
def test_a_phones_photo_goes_in_and_comes_back_with_its_story(
        site, photos, texts, tmp_path, language, script):
    source, target = photos["much.jpg"], tmp_path / "much.jpg"
    assert any("GPS" in key for key in exiftool(source))
    visitor = Visitor(site, language)
    page = leave(visitor, source)
    assert page.status == 200
    words = texts(language)
    assert words["stories.none"] in page.text and words["album.story.loses_clip"] in page.text
    # The photo's own caption is a first draft.
    assert words["album.story.caption"] in page.text and "old words" in page.text
    answer = visitor.post("/stories", page.form("/stories") | {"story": STORIES[script]}, [EMPTY])
    assert answer.status == 200 and answer.headers["Content-Type"] == "image/jpeg"
    assert answer.headers["Cache-Control"] == "no-store"
    assert 'filename="much.jpg"' in answer.headers["Content-Disposition"]
    target.write_bytes(answer.body)
    expect_everywhere(target, STORIES[script])
    expect_private(target)
    expect_sound(target)
    same_pixels(source, target)
    # And back again: the story is read, and can be removed.
    page = leave(visitor, target)
    assert words["stories.found"] in page.text
    assert page.form("/stories")["story"].lstrip("\n") == STORIES[script]
    bare = visitor.post("/stories", page.form("/stories") | {"delete": "1"}, [EMPTY])
    target.write_bytes(bare.body)
    assert STORIES[script] not in str(exiftool(target)) and "ai.album" not in str(exiftool(target))
    same_pixels(source, target)


@pytest.mark.parametrize("language, words", [
    ("en", "This format isn’t supported yet: HEIC"), ("zh-Hant", "格式暫不支援：HEIC"),
    ("zh-Hans", "格式暂不支持：HEIC")])
def test_heic_is_refused_in_the_specifications_words(site, language, words):
    visitor = Visitor(site, language)
    fields = {"csrf_token": visitor.token("/stories"), "story": "typed"}
    heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"
    answer = visitor.post("/stories", fields, [("file", "IMG_0001.jpg", heic)])
    assert answer.status == 422 and words in answer.text
    assert answer.form("/stories")["story"] == "typed"


@pytest.mark.usefixtures("nothing_stays")
def test_a_photo_of_30_megabytes_comes_back_and_a_larger_one_is_told_so(site, photos, texts):
    visitor = Visitor(site)
    fields = {"csrf_token": visitor.token("/stories"), "story": "large"}
    plain = photos["baseline.jpg"].read_bytes()
    end = plain.rindex(b"\xff\xd9")
    large = plain[:end] + b"\x55" * (30 * 1_000_000 - len(plain)) + plain[end:]
    answer = visitor.post("/stories", fields, [("file", "large.jpg", large)])
    assert answer.status == 200 and len(answer.body) > 30 * 1_000_000
    answer = visitor.post("/stories", fields, [("file", "larger.jpg", large + large)])
    assert answer.status == 422 and texts("en")["album.error_read_too_many_bytes"] in answer.text
    assert answer.form("/stories")["story"] == "large"
    assert visitor.post("/stories", fields, [("file", "much.jpg", large * 3)]).status == 413


def edited_elsewhere(visitor, photo, file):
    """A photo with our story "mine", in which another program changed one block to "theirs"."""
    fields = {"csrf_token": visitor.token("/stories"), "story": "mine"}
    answer = visitor.post("/stories", fields, [("file", "a.jpg", photo.read_bytes())])
    file.write_bytes(answer.body)
    run("exiftool", "-q", "-overwrite_original", "-ImageDescription=theirs", file)
    return file


def test_a_story_that_was_edited_elsewhere_offers_both(visitor, photos, texts, tmp_path):
    file = edited_elsewhere(visitor, photos["baseline.jpg"], tmp_path / "a.jpg")
    page = leave(visitor, file)
    assert texts("en")["album.story.edited_elsewhere"] in page.text
    offers = re.findall(r'<button [^>]*name="draft" value="([^"]*)"', page.text)
    assert sorted(offers) == ["mine", "theirs"]
    # Without a script, choosing one is a form of its own.
    page = visitor.post("/stories", page.form("/stories") | {"draft": "mine"}, [EMPTY])
    assert page.form("/stories")["story"].lstrip("\n") == "mine"
    answer = visitor.post("/stories", page.form("/stories"), [EMPTY])
    file.write_bytes(answer.body)
    expect_everywhere(file, "mine")


@pytest.mark.usefixtures("nothing_stays")
def test_in_a_browser_a_photo_is_read_when_it_is_chosen(new_page, site, photos, tmp_path):
    page = new_page()
    page.goto("/stories")
    page.locator("#file").set_input_files(photos["much.jpg"])
    page.get_by_test_id("story-found").wait_for()
    shown = page.locator("[data-story-photo] img")
    shown.wait_for()
    assert shown.get_attribute("src").startswith("blob:")
    assert page.get_by_test_id("story-count").inner_text().startswith("0 / 300")
    page.get_by_role("button", name="Use this text").click()
    assert page.locator("#story").input_value() == "old words"
    assert page.get_by_test_id("story-count").inner_text().startswith("9 / 300")
    page.locator("#story").press("End")
    page.locator("#story").press_sequentially(f" and {FAMILY}")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save and download").click()
    assert download.value.suggested_filename == "much.jpg"
    page.locator("[data-toast] .toast-pill").wait_for()
    page.locator("#file").wait_for()
    file = tmp_path / "much.jpg"
    download.value.save_as(file)
    expect_everywhere(file, f"old words and {FAMILY}")
    expect_private(file)
    same_pixels(photos["much.jpg"], file)


@pytest.mark.usefixtures("nothing_stays")
def test_without_scripts_the_same_takes_two_forms(new_page, site, photos, tmp_path):
    page = new_page(java_script_enabled=False)
    page.goto("/stories")
    page.locator("#file").set_input_files(photos["geodegrees_as_string.jpg"])
    page.get_by_role("button", name="Continue").click()
    page.get_by_test_id("story-found").wait_for()
    picture = page.locator("[data-story-photo] img")
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") == 205
    page.locator("#story").fill("One line\nand another")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save and download").click()
    file = tmp_path / "saved.jpg"
    download.value.save_as(file)
    expect_everywhere(file, "One line\nand another")
    # Once more: the photo is gone, the text is not.
    page.get_by_role("button", name="Save and download").click()
    page.get_by_test_id("error-summary").wait_for()
    assert page.locator("#story").input_value() == "One line\nand another"


@pytest.fixture
def field(new_page, photos):
    page = new_page()
    page.goto("/stories")
    assert page.locator("#story").count() == 0
    page.locator("#file").set_input_files(photos["baseline.jpg"])
    page.get_by_test_id("story-count").get_by_text("0").wait_for()
    page.wait_for_function("document.querySelector('[data-story-full]') && performance"
                           ".getEntriesByType('resource').some(e => e.name.includes('story-text'))")
    page.locator("#story").focus()
    return page


def counted(page):
    return int(page.locator("[data-story-count]").inner_text())


def insert(page, text):
    """Like pasting."""
    page.evaluate("text => document.execCommand('insertText', false, text)", text)


def test_the_field_counts_what_people_call_characters_and_stops(field):
    for text, number in [(FAMILY * 10, 10), ("🇹🇼👍🏽", 12), ("e\u0301", 13), ("字" * 286, 299)]:
        insert(field, text)
        assert counted(field) == number
    field.keyboard.type("y")
    assert counted(field) == 300
    whole = field.locator("#story").input_value()
    field.keyboard.type("z")
    assert field.locator("#story").input_value() == whole and counted(field) == 300
    assert field.locator("[data-story-full]").inner_text()
    # Blanks at the end don't count until followed by something.
    field.keyboard.press("Enter")
    field.keyboard.type("z")
    assert field.locator("#story").input_value() == whole + "\n" and counted(field) == 300
    field.keyboard.press("Backspace")
    field.keyboard.press("Backspace")
    assert counted(field) == 299 and not field.locator("[data-story-full]").inner_text()


def test_a_chunk_that_is_too_long_stays_whole_and_says_how_much_is_too_many(field):
    story = field.locator("#story")
    # Like dictation, suggestions and text expanders.
    field.keyboard.insert_text("y" * 320)
    assert story.input_value() == "y" * 320 and counted(field) == 320
    assert field.locator("[data-story-full]").inner_text().startswith("20 too many")
    save = field.get_by_role("button", name="Save and download")
    assert save.is_disabled()
    # Nothing more can be typed, but it can be shortened.
    field.keyboard.type("z")
    assert counted(field) == 320
    for _ in range(20):
        field.keyboard.press("Backspace")
    assert counted(field) == 300 and not field.locator("[data-story-full]").inner_text()
    assert save.is_enabled()
    # A paste before a full text.
    story.evaluate("field => field.setSelectionRange(0, 0)")
    insert(field, "abc")
    assert story.input_value() == "abc" + "y" * 300
    assert field.locator("[data-story-full]").inner_text().startswith("3 too many")
    field.keyboard.press("Control+z")
    assert story.input_value() == "y" * 300


def test_composing_is_never_broken(field, browser):
    insert(field, "字" * 299)
    client = field.context.new_cdp_session(field)
    for text in ["n", "ni", "ni h", "ni hao"]:
        client.send("Input.imeSetComposition", {
            "text": text, "selectionStart": len(text), "selectionEnd": len(text)})
        # Above the limit, but not yet a complete character.
        assert field.locator("#story").input_value().endswith("字" + text)
    client.send("Input.insertText", {"text": "你好"})
    assert field.locator("#story").input_value() == "字" * 299 + "你好"
    assert counted(field) == 301
    assert field.locator("[data-story-full]").inner_text().startswith("1 too many")
