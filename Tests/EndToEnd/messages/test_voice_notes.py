"""Voice notes: recorded in the browser, chosen as a file without scripts, and kept offline."""

import contextlib
import io
import math
import struct
import wave

import pytest

from conftest import CHROMIUM, PHONE
from instance import wait_until
from phone import outbox
from test_messages import (
    message, opened, path_of_two, send, signed_in_without_scripts, words, write)
from test_pages import check, signed_in

# A browser with a microphone that beeps.
BEEPING = CHROMIUM | {"args": [*CHROMIUM["args"], "--use-fake-device-for-media-stream"]}


def tone(seconds=1):
    """A WAV file."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(b"".join(
            struct.pack("<h", int(9000 * math.sin(440 * 2 * math.pi * place / 8000)))
            for place in range(8000 * seconds)))
    return file.getvalue()


@pytest.fixture
def two(mei):
    return path_of_two(mei)


@pytest.fixture
def recording_page(site, playwright, mei, two):
    """Makes pages of Mei's with the conversation open, with the permission to record or without."""
    write(mei, two, words())
    with contextlib.closing(playwright.chromium.launch(**BEEPING)) as browser:

        def make(permissions):
            context = browser.new_context(base_url=site.url, permissions=permissions, **PHONE)
            context.set_default_timeout(15_000)
            page = context.new_page()
            signed_in(page, site)
            return opened(page, two)

        yield make


def record(page):
    """Records for a second."""
    page.get_by_role("button", name="Record a voice note").click()
    time = page.locator("[data-recorded-time]")
    wait_until(lambda: time.inner_text() == "0:01", 10, "a second of recording")
    page.get_by_role("button", name="Stop", exact=True).click()
    page.locator("[data-recorded]").wait_for()


def is_playable(audio):
    """Whether the browser can play a sound, which it loads only now."""
    return audio.evaluate("""audio => new Promise((done) => {
      audio.addEventListener("loadedmetadata", () => done(audio.duration > 0.5));
      audio.addEventListener("error", () => done(false));
      audio.preload = "metadata";
      audio.load();
    })""")


def test_a_voice_note_is_recorded_heard_and_sent(recording_page):
    page = recording_page(["microphone"])
    record(page)
    check(page)
    page.get_by_role("button", name="Discard", exact=True).click()
    page.locator("[data-recorded]").wait_for(state="hidden")
    record(page)
    text = words()
    send(page, text)
    audio = message(page, text).get_by_test_id("voice")
    audio.wait_for()
    assert audio.get_attribute("preload") == "none" and not audio.get_attribute("autoplay")
    assert is_playable(audio)
    assert page.locator("[data-recorder-panel]").is_hidden()
    check(page)


def test_a_voice_note_waits_without_a_network_and_goes_once(recording_page):
    page = recording_page(["microphone"])
    before = page.get_by_test_id("voice").count()
    page.context.set_offline(True)
    record(page)
    page.get_by_role("button", name="Send", exact=True).click()
    page.get_by_test_id("waiting-message").filter(has_text="Voice note").wait_for()
    assert len(outbox(page)) == 1
    page.context.set_offline(False)
    wait_until(lambda: outbox(page) == [], 30, "an empty outbox")
    wait_until(lambda: page.get_by_test_id("voice").count() == before + 1, 10, "the voice note")


def test_a_blocked_microphone_is_explained(recording_page):
    page = recording_page([])
    page.get_by_role("button", name="Record a voice note").click()
    page.locator("dialog").get_by_text("The microphone is blocked for this site.").wait_for()
    check(page)


def test_a_voice_note_is_chosen_as_a_file_without_scripts(site, new_page, tmp_path, two):
    (tmp_path / "note.wav").write_bytes(tone())
    page = new_page(java_script_enabled=False)
    signed_in_without_scripts(page, site)
    page.goto(two)
    page.locator("#voice").set_input_files(tmp_path / "note.wav")
    text = words()
    send(page, text)
    message(page, text).get_by_test_id("voice").wait_for()
    assert message(page, text).get_by_text("Voice note, 0:01").count() == 1


def test_parts_of_a_voice_note_can_be_asked_for(site, mei, two):
    """Players seek by ranges."""
    form = next(form for _, form in mei.get(two).forms if "client_id" in form)
    assert mei.post(two, form, [("voice", "note.wav", tone())]).status == 303
    source = mei.get(two).text.rpartition('data-testid="voice"')[0].rpartition('src="')[2]
    source = source.partition('"')[0]
    part = mei.get(source, Range="bytes=4-7")
    assert part.status == 206 and part.body == b"ftyp"
    assert part.headers["Content-Type"] == "audio/mp4"
    assert part.headers["Content-Range"].startswith("bytes 4-7/")
    whole = mei.get(source)
    assert whole.status == 200 and int(whole.headers["Content-Length"]) == len(whole.body)
    assert whole.headers["Content-Security-Policy"].startswith("sandbox;")
    assert mei.get(source, Range=f"bytes={len(whole.body)}-").status == 416
