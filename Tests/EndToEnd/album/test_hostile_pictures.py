"""Files that are no pictures, or claim to be too large, sent with the form."""

import threading

import pytest

import pictures

WORDS = "這些話要留下來"

# File name, content, and the key of the error message.
HOSTILE = {
    "bomb": ("bomb.png", pictures.png_bomb, "error.image_pixels"),
    "truncated": ("half.jpg", pictures.truncated_jpeg, "error.image_broken"),
    "heic": ("photo.jpg", pictures.heic, "error.image_broken"),
    "svg": ("drawing.svg", lambda: pictures.SVG, "error.image_format"),
    "polyglot": ("both.gif", lambda: pictures.POLYGLOT, "error.image_broken"),
    "empty": ("nothing.png", lambda: b"", "error.image_format"),
}


@pytest.fixture
def reader(sam):
    """A user who reads Chinese."""
    sam.read_in("zh-Hant")
    yield sam
    sam.read_in("en")


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_picture_is_refused_and_the_words_stay(site, reader, texts, kind):
    name, make, message = HOSTILE[kind]
    before = site.resident_bytes(" handlers")
    media = site.media()
    done = threading.Event()
    statuses = []

    def ask_meanwhile():
        while not done.is_set():
            statuses.append(site.is_healthy())

    asking = threading.Thread(target=ask_meanwhile)
    asking.start()
    try:
        answer = reader.write(WORDS, files=[(name, make())])
    finally:
        done.set()
        asking.join()

    assert answer.status == 422
    assert '<html lang="zh-Hant"' in answer.text
    assert texts("zh-Hant")[message] in answer.text
    assert name in answer.text
    assert answer.form("/posts")["content"] == WORDS
    assert 'data-testid="error-summary"' in answer.text
    assert statuses and all(statuses), "others were not answered meanwhile"
    assert site.resident_bytes(" handlers") - before < 100_000_000
    assert site.media() == media, "something of it was kept"


def test_good_pictures_beside_a_bad_one_are_kept(mei):
    good = ("good.png", pictures.png_bytes())
    answer = mei.write("one of two", files=[good, ("half.jpg", pictures.truncated_jpeg())])
    assert answer.status == 422
    fields = answer.form("/posts")
    assert fields["content"] == "one of two"
    assert fields["kept"]
    sent = mei.write("one of two", fields=fields)
    assert sent.status == 303
    page = mei.get(sent.made)
    assert page.text.count('<div class="pictures pictures-1">') == 1


def test_a_post_with_kept_pictures_of_others_is_refused_with_its_words(mei, sam):
    answer = mei.write(
        "mine", files=[("good.png", pictures.png_bytes()), ("bad.jpg", b"\xff\xd8\xff nothing")])
    kept = answer.form("/posts")["kept"]
    sent = sam.write("not mine", fields=sam.composer() | {"kept": kept})
    assert sent.status == 422
    assert sent.form("/posts")["content"] == "not mine"
    assert not sent.form("/posts").get("kept")


def test_a_picture_of_more_than_12_mb_is_refused_and_the_words_stay(mei, texts):
    answer = mei.write("heavy", files=[("heavy.png", pictures.png_bytes() + b"\0" * 12_600_000)])
    assert answer.status == 422
    assert texts("en")["error.image_large"] in answer.text
    assert answer.form("/posts")["content"] == "heavy"
