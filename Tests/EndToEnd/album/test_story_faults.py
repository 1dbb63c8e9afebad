"""Strict saving: effects of a full disk, a killed process and every script on a photo's story."""

import html
import os
import random
import re
import signal
import threading
from datetime import datetime, timedelta, timezone
from http.client import HTTPException

import pytest

from disks import fill
from instance import wait_until
from people import Visitor
from test_album_stories import add, stored, tell
from test_photo_stories import (  # noqa: F401  (fixtures too)
    STORIES, end_reader, expect_everywhere, expect_private, expect_sound, photos, same_pixels)
from test_stories import leave, waiting


def own_files(site):
    """Every photo's own file, with its content."""
    return {path: path.read_bytes() for path in site.media() if path.name.startswith("photo_")}


def written(visitor, photo):
    """The story shown by its editor."""
    page = visitor.get(f"{photo}/story").text
    return html.unescape(re.search(r"<textarea[^>]*>([^<]*)</textarea>", page)[1])


@pytest.mark.parametrize("script", STORIES)
def test_every_script_gets_into_an_albums_photo(mei, photos, tmp_path, script):
    source = photos["texts.png"]
    photo = add(mei, source)
    assert tell(mei, photo, STORIES[script], confirm="1").status == 303
    file = stored(mei, photo, tmp_path)
    expect_everywhere(file, STORIES[script])
    expect_private(file)
    expect_sound(file)
    same_pixels(source, file)
    assert written(mei, photo) == STORIES[script]


def test_on_a_full_disk_the_photo_stays_and_the_words_too(
        small_disk, own_site, photos, texts, tmp_path):
    site = own_site(PAIRSPOT_DEMO="1", PAIRSPOT_DATA=str(small_disk / "var"))
    site.data = small_disk / "var"
    mei = Visitor(site).sign_in("mei@example.test")
    photo = add(mei, photos["sample1.jpg"])
    assert tell(mei, photo, "before", confirm="1").status == 303
    before = own_files(site)
    page = leave(mei, photos["sample1.jpg"])
    fill(small_disk / "filler")
    for fields in [{"confirm": "1"}, {"as_copy": "1"}]:
        answer = tell(mei, photo, "while it is full", **fields)
        assert answer.status == 507
        assert texts("en")["album.error_write_disk_full"] in answer.text
        assert "while it is full</textarea>" in answer.text
        # The copy is offered to users who haven't tried it.
        assert ('name="as_copy"' in answer.text) == ("confirm" in fields)
    # The photo is kept for another attempt.
    form = page.form("/stories") | {"story": "while it is full"}
    answer = mei.post("/stories", form)
    assert answer.status == 507
    assert texts("en")["album.error_write_disk_full"] in answer.text
    assert own_files(site) == before
    assert written(mei, photo) == "before"
    (small_disk / "filler").unlink()
    assert tell(mei, photo, "room again", confirm="1").status == 303
    assert len(own_files(site)) == len(before)
    answer = mei.post("/stories", answer.form("/stories"))
    file = tmp_path / "a.jpg"
    file.write_bytes(answer.body)
    expect_everywhere(file, "while it is full")
    assert waiting(site) == set()


def test_killed_while_saving_file_and_page_agree(own_site, photos, tmp_path):
    site = own_site(PAIRSPOT_DEMO="1")
    mei = Visitor(site).sign_in("mei@example.test")
    photo = add(mei, photos["sample1.jpg"])
    source = stored(mei, photo, tmp_path).rename(tmp_path / "source.jpg")
    acknowledged, done = [], threading.Event()

    visitor = Visitor(site).sign_in("mei@example.test")

    def save():
        number = 0
        while not done.is_set():
            number += 1
            try:
                answer = tell(visitor, photo, f"story {number}", confirm="1")
            except (OSError, HTTPException, StopIteration):
                continue
            if answer.status == 303:
                acknowledged.append(number)

    writer = threading.Thread(target=save)
    writer.start()
    chance = random.Random(20261121)
    try:
        for _ in range(10):
            told = len(acknowledged)
            wait_until(lambda: len(acknowledged) > told, 30, "a save")
            done.wait(chance.uniform(0.1, 0.5))
            victims = site.processes(" handlers")
            if victims:
                os.kill(victims[0], signal.SIGKILL)
            wait_until(site.is_healthy, 30, "pages")
    finally:
        done.set()
        writer.join()
    assert acknowledged
    story = written(mei, photo)
    # A save killed after its commit is stored without an acknowledgement.
    assert int(story.removeprefix("story ")) >= acknowledged[-1]
    file = stored(mei, photo, tmp_path)
    expect_everywhere(file, story)
    same_pixels(source, file)


def test_a_photo_that_waited_through_a_restart_is_gone_when_its_time_is_over(
        own_site, photos, texts):
    site = own_site()
    visitor = Visitor(site)
    form = leave(visitor, photos["sample1.jpg"]).form("/stories")
    assert len(waiting(site)) == 1
    site.stop()
    later = datetime.now(timezone.utc) + timedelta(minutes=11)
    site.environment["PAIRSPOT_NOW"] = later.strftime("%Y-%m-%dT%H:%M:%SZ")
    site.start()
    wait_until(lambda: waiting(site) == set(), 30, "the job at the start")
    answer = visitor.post("/stories", form | {"story": "too late"})
    assert answer.status == 422 and texts("en")["stories.file_expired"] in answer.text
    assert answer.form("/stories")["story"] == "too late"
