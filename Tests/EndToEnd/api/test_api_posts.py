"""The JSON API for a client in another language: plain HTTP, through the web server."""

import json
import re
import urllib.parse

import pytest

import pictures
from people import Visitor, multipart

BASE = "/api/v1"
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


class Client:
    """A page's own script: the session's cookie, and the token in its header."""

    def __init__(self, visitor):
        self.visitor = visitor
        self.token = json.loads(visitor.get("/csrf").text)["token"]

    def call(self, method, path, value=None, **headers):
        body = None if value is None else json.dumps(value).encode()
        own = {"X-CSRF-Token": self.token}
        if body is not None:
            own["Content-Type"] = "application/json"
        return self.visitor.ask(method, BASE + path, body, own | headers)

    def send(self, method, path, fields, files=()):
        body, kind = multipart(fields, files)
        return self.visitor.ask(
            method, BASE + path, body, {"X-CSRF-Token": self.token, "Content-Type": kind})


@pytest.fixture
def mei(site):
    return Client(Visitor(site).sign_in("mei@example.test"))


def said(answer, status=200):
    assert answer.status == status, answer.text
    assert answer.headers["Content-Type"].startswith("application/json")
    return json.loads(answer.body)


def refused(answer, status, code):
    error = said(answer, status)["error"]
    assert error["code"] == code and error["message"]
    assert answer.headers["X-Request-Id"]
    return error.get("fields", {})


def path_of(url):
    return urllib.parse.urlsplit(url).path


def test_a_post_with_pictures_from_the_first_word_to_the_last(site, mei):
    post = said(mei.send(
        "POST", "/posts",
        [("content", "從 API 來的 🌱"), ("visibility", "couple"), ("descriptions[]", "green"),
         ("descriptions[]", "red")],
        [("images[]", "a.png", pictures.png_bytes()),
         ("images[]", "b.png", pictures.png_bytes((200, 40, 40)))]), 201)
    assert post["content"] == "從 API 來的 🌱" and post["visibility"] == "couple"
    assert [image["description"] for image in post["images"]] == ["green", "red"]
    assert MOMENT.fullmatch(post["created_at"]) and post["edited"] is False
    for image in post["images"]:
        for size in ("url", "medium_url", "thumbnail_url"):
            assert image[size].startswith(site.url + "/media/")
            answer = mei.visitor.get(path_of(image[size]))
            assert answer.status == 200 and answer.body.startswith(b"\x89PNG")
            assert Visitor(site).get(path_of(image[size])).status == 404
    address = f"/posts/{post['id']}"
    assert said(mei.call("GET", "/posts?scope=couple&limit=1"))["posts"][0]["id"] == post["id"]
    changed = said(mei.call("PATCH", address, {
        "content": "Changed", "images": [{"id": post["images"][1]["id"], "description": "rot"}]}))
    assert changed["edited"] is True
    assert [image["description"] for image in changed["images"]] == ["rot"]
    assert mei.visitor.get(path_of(post["images"][0]["url"])).status == 404
    assert said(mei.call("POST", f"{address}/like")) == {"like_count": 1, "liked": True}
    assert said(mei.call("DELETE", f"{address}/like")) == {"like_count": 0, "liked": False}
    # The page shows the same post.
    assert "Changed" in mei.visitor.get(address).text
    assert mei.call("DELETE", address).status == 204
    refused(mei.call("GET", address), 404, "not_found")


def test_pictures_that_cannot_be_taken_say_why(mei):
    good = ("images[]", "good.png", pictures.png_bytes())
    for name, content, status, code in [
        ("heic", pictures.heic(), 422, "not_acceptable_picture"),
        ("cut", pictures.truncated_jpeg(), 422, "not_acceptable_picture"),
        ("bomb", pictures.png_bomb(), 422, "not_acceptable_picture"),
        ("large", b"\xff\xd8\xff" + bytes(12 << 20), 413, "payload_too_large"),
    ]:
        answer = mei.send("POST", "/posts", [("content", name)], [good, ("images[]", name, content)])
        assert list(refused(answer, status, code)) == ["images.1"], name
    texts = [post["content"] for post in said(mei.call("GET", "/posts"))["posts"]]
    assert not {"heic", "cut", "bomb", "large"} & set(texts)


def test_pages_of_posts_go_on_where_the_last_one_ended(mei):
    made = [said(mei.send("POST", "/posts", [("content", f"Page {n}")]), 201)["id"]
            for n in range(5)]
    found, cursor = [], ""
    while cursor is not None:
        page = said(mei.call("GET", f"/posts?scope=couple&limit=2{cursor and '&cursor=' + cursor}"))
        found += [post["id"] for post in page["posts"]]
        cursor = page["next_cursor"]
        said(mei.send("POST", "/posts", [("content", "Meanwhile")]), 201)
        if made[0] in found:
            break
    assert len(found) == len(set(found))
    assert [post for post in found if post in made] == made[::-1]


def test_nobody_is_let_in_without_showing_who_they_are(site, mei):
    stranger = Client(Visitor(site))
    fields = refused(stranger.call("GET", "/posts"), 401, "invalid_token")
    assert fields == {}
    assert stranger.call("GET", "/posts").headers["WWW-Authenticate"] == "Bearer"
    refused(mei.call("GET", "/posts", Authorization="Bearer x"), 401, "invalid_token")
    mei.token = "x"
    refused(mei.call("POST", "/checkin", {}), 403, "csrf")
    refused(mei.send("POST", "/posts", [("content", "Words")]), 403, "csrf")


def test_a_day_of_checking_in(own_site):
    site = own_site(PAIRSPOT_DEMO="1", PAIRSPOT_RATE_LIMITS="off")
    jun = Client(Visitor(site).sign_in("jun@example.test"))
    for contact in said(jun.call("GET", "/checkin/contacts"))["contacts"]:
        assert jun.call("DELETE", f"/checkin/contacts/{contact['id']}").status == 204
    missing = refused(jun.call("POST", "/checkin", {}), 422, "validation_error")
    assert list(missing) == ["contact_email"]
    contact = said(jun.call("POST", "/checkin/contacts", {"email": "kai@example.test"}), 201)
    assert contact["state"] == "pending" and contact["mails"] == []
    first = jun.call("POST", "/checkin", {"time_zone": "Asia/Taipei"})
    assert first.status in (200, 201), first.text
    again = said(jun.call("POST", "/checkin", {}))
    assert again == json.loads(first.body) and MOMENT.fullmatch(again["check_in_time"])
    refused(jun.call("POST", "/checkin", {"date": "2020-01-01"}), 422, "not_today")
    state = said(jun.call("GET", "/checkin"))
    assert state["checked_in_today"] is True and state["total"] >= 1
    changed = said(jun.call(
        "PUT", "/checkin/settings", {"alert_time": "07:15", "reminder_time": "20:00"}))
    assert (changed["alert_time"], changed["reminder_time"]) == ("07:15", "20:00")
    month = again["check_in_date"][:7]
    days = said(jun.call("GET", f"/checkin/history?month={month}"))["days"]
    assert again["check_in_date"] in [day["date"] for day in days]
    assert "day,time,time_zone,offline" in jun.call("GET", "/checkin/history?format=csv").text
    # The introduction is mailed as from the page.
    assert site.mail_to("kai@example.test")
