"""Pictures in a bucket of an S3 store, which browsers never see."""

import re

import pytest

from object_store import ObjectStore
from people import Visitor, picture_addresses
from pictures import png_bytes
from test_backup import pairspot


@pytest.fixture
def store():
    store = ObjectStore()
    yield store
    store.stop()


@pytest.fixture
def stored(own_site, store, tmp_path):
    """A site whose demonstration is made in the bucket, not copied from another site's folder."""
    (tmp_path / "var").mkdir(mode=0o700)
    return own_site(PAIRSPOT_DEMO="1", **store.variables)


def posted(visitor, words, visibility="public"):
    """The path and the largest picture of a new post."""
    answer = visitor.write(words, visibility, [("a.png", png_bytes())])
    assert answer.status == 303, answer.text
    page = visitor.get(answer.made).text
    return answer.made, next(path for path in picture_addresses(page) if "/medium_" in path)


def is_plain(site, answer):
    """Nothing in an answer tells of the store."""
    told = str(answer.headers).lower()
    assert "x-amz" not in told and "stored-media" not in told and "store=1" not in told
    assert "access-control" not in told
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    return True


def test_a_picture_is_sent_to_those_who_may_see_it(stored, store):
    mei, sam = Visitor(stored).sign_in("mei@example.test"), Visitor(stored).sign_in("sam@example.test")
    post, picture = posted(mei, "for the two of us", "couple")
    name = picture.removeprefix("/media/")
    assert name in store.names("couples/") and store.names("drafts/") == set()
    assert not any(path.suffix == ".png" for path in stored.media())
    whole = mei.get(picture)
    assert whole.status == 200 and whole.body.startswith(b"\x89PNG") and is_plain(stored, whole)
    assert whole.headers["Content-Type"] == "image/png"
    assert whole.all("Cache-Control") == ["private, no-store"]
    assert sam.get(picture).status == 404 and Visitor(stored).get(picture).status == 404
    # The path is that of the bucket's file, but only behind the secret of nginx.
    assert mei.get(f"/stored-media/{name}").status == 404

    head = mei.ask("HEAD", picture, None, {})
    assert (head.status, head.body) == (200, b"")
    assert int(head.headers["Content-Length"]) == len(whole.body)
    part = mei.get(picture, Range="bytes=1-3")
    assert (part.status, part.body) == (206, b"PNG") and is_plain(stored, part)
    assert part.headers["Content-Range"] == f"bytes 1-3/{len(whole.body)}"
    beyond = mei.get(picture, Range=f"bytes={len(whole.body)}-")
    assert beyond.status == 416 and is_plain(stored, beyond) and b"<Code>" not in beyond.body
    same = mei.get(picture, **{"If-None-Match": whole.headers["ETag"]})
    assert (same.status, same.body) == (304, b"")
    assert mei.get(picture, **{"If-None-Match": '"other"'}).status == 200

    _, seen_by_all = posted(mei, "for everyone")
    everyone = Visitor(stored).get(seen_by_all)
    assert everyone.all("Cache-Control") == ["public, max-age=31536000, immutable"]


def test_a_narrowed_post_has_new_names_and_a_lost_file_is_404(stored, store):
    mei = Visitor(stored).sign_in("mei@example.test")
    post, picture = posted(mei, "too many see this")
    form = mei.get(f"{post}/edit").form(f"{post}/edit")
    answer = mei.post(f"{post}/edit", form | {"visibility": "couple"}, [("images", "", b"")])
    assert answer.status == 303
    assert mei.get(picture).status == 404
    assert picture.removeprefix("/media/") not in store.names("couples/")
    new = next(path for path in picture_addresses(mei.get(post).text) if "/medium_" in path)
    assert mei.get(new).status == 200
    assert "is missing" not in pairspot(stored, "doctor").stdout
    store.delete(new.removeprefix("/media/"))
    lost = mei.get(new)
    assert lost.status == 404 and "no-store" in lost.all("Cache-Control")
    found = pairspot(stored, "doctor")
    assert found.returncode != 0 and f"{new.removeprefix('/media/')} is missing" in found.stdout


@pytest.mark.parametrize("fault,shown", [
    (("500 Internal Server Error", "InternalError"), 503), (("503 Slow Down", "SlowDown"), 503),
    (("403 Forbidden", "RequestTimeTooSkewed"), 502), (("301 Moved", "PermanentRedirect"), 502),
])
def test_a_store_that_refuses_loses_no_words(stored, store, fault, shown):
    mei = Visitor(stored).sign_in("mei@example.test")
    _, picture = posted(mei, "before the fault")
    before = store.names()
    store.fault = fault
    refused = mei.write("words to be kept", files=[("a.png", png_bytes())])
    assert refused.status == 503 and "words to be kept" in refused.text
    assert refused.headers["Retry-After"] == "5"
    seen = mei.get(picture)
    assert seen.status == shown and is_plain(stored, seen) and b"<Code>" not in seen.body
    assert "no-store" in seen.all("Cache-Control")
    assert fault[1] in stored.log.read_text()
    assert pairspot(stored, "doctor").returncode != 0
    store.fault = None
    assert store.names() == before
    assert mei.get(picture).status == 200
    assert mei.write("words to be kept", files=[("a.png", png_bytes())]).status == 303


def test_a_store_that_is_away_loses_no_words(stored, store):
    mei = Visitor(stored).sign_in("mei@example.test")
    post, picture = posted(mei, "before the fault")
    store.stop()
    refused = mei.write("words to be kept", files=[("a.png", png_bytes())])
    assert refused.status == 503 and "words to be kept" in refused.text
    assert mei.get(picture).status == 503
    # All else works.
    assert mei.write("words without a picture").status == 303
    assert mei.get(post).status == 200
    assert re.search(r"S3: PUT 127\.0\.0\.1:\d+/media/drafts/", stored.log.read_text())


@pytest.mark.long
def test_a_slow_store_is_waited_for_once(stored, store):
    mei = Visitor(stored).sign_in("mei@example.test")
    store.delay = 25
    files = [(f"{number}.png", png_bytes()) for number in range(4)]
    refused = mei.write("words to be kept", files=files)
    assert refused.status == 503 and "words to be kept" in refused.text
    store.delay = 0
