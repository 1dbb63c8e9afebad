"""A day with PairSpot, for a client that knows only the API's document."""

import json
import subprocess
import uuid
from datetime import datetime, timedelta, timezone

import pytest

from api_client import Client, Refused, Undocumented
from instance import link_in
from pictures import WITH_PLACE, drawn_png, looks_like
from missed_check_ins import move

PASSWORD = "lantern river seven"
DAY = "2020-01-17"
# 300 characters, one of them outside of the Basic Multilingual Plane.
STORY = ("那天下午海邊起了風，我們把傘收起來，坐在石階上分一碗豆花。𠮷野家還沒開門，"
         "貓先來了。" * 9)[:299] + "。"


def link_token(site, address):
    return link_in(site.mail_to(address)).split("token=")[1]


def register(site, mark):
    """Registers a couple with the mails; returns the signed-in clients."""
    addresses = [f"{name}-{mark}@example.test" for name in ("lan", "bo")]
    app = Client(site.url)
    begun = app.call("post_auth_register_initiate", {
        "email_a": addresses[0], "email_b": addresses[1], "couple_name": "嵐與波",
        "anniversary": DAY, "accept_terms": True}).data
    assert begun["status"] == "pending"

    verified = [
        app.call("post_auth_register_verify", {"token": link_token(site, address)}).data
        for address in addresses]
    assert [one["role"] for one in verified] == ["partner_a", "partner_b"]
    assert [one["both_verified"] for one in verified] == [False, True]
    assert {one["couple_id"] for one in verified} == {begun["couple_id"]}
    states = [
        app.call("post_auth_register_complete", {
            "completion_token": one["completion_token"], "password": PASSWORD,
            "display_name": name, "accept_terms": True}).data["couple_status"]
        for one, name in zip(verified, ("嵐", "波"))]
    assert states == ["pending", "active"]

    clients = [Client(site.url, str(uuid.uuid4())) for _ in addresses]
    for client, address, one in zip(clients, addresses, verified):
        profile = client.sign_in(address, PASSWORD).data["user_profile"]
        assert profile["id"] == one["user_id"] and profile["role"] == one["role"]
        assert profile == client.call("get_account").data
    return *clients, begun["couple_id"]


def test_a_couple_registers_posts_checks_in_and_tells_by_the_document_alone(own_site, tmp_path):
    site = own_site()
    lan, bo, couple = register(site, "day")

    # A picture, posted twice with one key, is one post; the partner sees and likes it.
    picture = drawn_png(tmp_path)
    key = str(uuid.uuid4())
    post = {
        "content": "我們的第一次散步", "visibility": "couple",
        "images[]": [picture.read_bytes()], "descriptions[]": ["紅與藍"]}
    made = lan.call("post_posts", post, key)
    again = lan.call("post_posts", post, key)
    assert (made.status, again.status) == (201, 201) and again.data == made.data
    with pytest.raises(Refused) as other:
        lan.call("post_posts", post | {"content": "another"}, key)
    assert other.value.code == "conflict"
    image, = made.data["images"]
    assert (image["width"], image["height"], image["description"]) == (320, 200, "紅與藍")

    found = bo.call("get_posts", couple_id=couple).data["posts"]
    assert found == [made.data]
    assert looks_like(bo.fetch(found[0]["images"][0]["url"]).data, picture)
    liked = bo.call("post_posts_id_like", id=made.data["id"]).data
    assert liked == {"like_count": 1, "liked": True}
    seen = lan.call("get_posts_id", id=made.data["id"]).data
    assert seen == made.data | {"like_count": 1, "liked": False}
    with pytest.raises(Refused) as stranger:
        Client(site.url).call("get_posts_id", id=made.data["id"])
    assert stranger.value.code == "not_found"

    # A check-in needs a name and a contact; the second one of a day is the same.
    with pytest.raises(Refused) as early:
        lan.call("post_checkin", {})
    assert early.value.status == 422 and set(early.value.fields) == {"contact_email"}
    settings = {
        "display_name": "嵐", "alert_time": "09:15", "threshold_days": 3, "reminder_time": "20:00",
        "contact_language": "zh-Hant", "contact_pause_minutes": 60, "note": "鑰匙在隔壁",
        "sheet": "藥在廚房", "time_zone": "Asia/Taipei"}
    kept = lan.call("put_checkin_settings", settings).data
    assert kept == settings | {"paused_until": None, "threshold_hours": None}
    contact = lan.call(
        "post_checkin_contacts", {"name": "阿明", "email": "ming-day@example.test"}).data
    assert contact["state"] == "pending"
    taps = [lan.call("post_checkin", {}) for _ in range(2)]
    assert [tap.status for tap in taps] == [201, 200] and taps[0].data == taps[1].data
    state = lan.call("get_checkin").data
    assert state["checked_in_today"] and state["today"] == taps[0].data["check_in_date"]
    assert (state["missed_days"], state["current_streak"], state["total"]) == (0, 1, 1)
    assert state["settings"] == kept
    assert [one["id"] for one in state["contacts"]] == [contact["id"]]
    assert "嵐" in site.mail_to("ming-day@example.test").get_body(("plain",)).get_content()

    # A story is written into a photo, and read from its file again.
    assert len(STORY) == 300
    photo = lan.call("post_photos", {"file": WITH_PLACE.read_bytes()}).data
    assert photo["story"] is None and not photo["shared"]
    id = photo["id"]
    assert lan.call("get_photos_id_story", id=id).data == {"story": None}
    told = lan.call("put_photos_id_story", {"story": STORY, "version": photo["version"]}, id=id)
    assert told.status == 200
    assert told.data["story"] == STORY and told.data["version"] > photo["version"]
    with pytest.raises(Refused) as old:
        lan.call("put_photos_id_story", {"story": "late", "version": photo["version"]}, id=id)
    assert old.value.code == "conflict"
    assert lan.call("get_photos_id_story", id=id).data == {"story": STORY}
    file = lan.call("get_photos_id_file", id=id).data
    assert file == lan.fetch(told.data["url"]).data
    tags = exiftool(tmp_path, file)
    assert STORY in tags.values(), tags
    assert not any("GPS" in name for name in tags)
    assert looks_like(file, WITH_PLACE)
    # The partner does not see it before it is shared.
    with pytest.raises(Refused) as hidden:
        bo.call("get_photos_id_story", id=id)
    assert hidden.value.code == "not_found"
    lan.call("patch_photos_id", {"shared": True}, id=id)
    assert bo.call("get_photos_id_story", id=id).data == {"story": STORY}

    # Tokens expire: the client gets the error, refreshes them, and continues.
    old = lan.access
    later = datetime.now(timezone.utc) + timedelta(minutes=16)
    move(site, later.strftime("%Y-%m-%dT%H:%M:%SZ"))
    before = len(lan.made)
    assert lan.call("get_photos_id_story", id=id).data == {"story": STORY}
    assert lan.made[before:] == [
        ("get_photos_id_story", 401), ("post_auth_token_refresh", 200),
        ("get_photos_id_story", 200)]
    assert lan.access != old

    # Signed out, neither token is accepted; the partner stays signed in.
    assert lan.call("post_auth_logout", {"device_id": lan.device}).status == 204
    for operation, body in [("get_account", None), ("post_photos", {"file": b"x"})]:
        with pytest.raises(Refused) as refused:
            lan.call(operation, body)
        assert (refused.value.status, refused.value.code) == (401, "invalid_token")
    with pytest.raises(Refused) as refused:
        lan.renew()
    assert (refused.value.status, refused.value.code) == (401, "invalid_token")
    assert bo.call("get_account").status == 200


def test_a_month_of_check_ins_is_json_and_all_of_them_are_csv(site):
    app = Client(site.url)
    app.sign_in("mei@example.test", site.demo_password())
    assert isinstance(app.call("get_checkin_history").data["days"], list)
    table = app.call("get_checkin_history", format="csv")
    assert table.kind == "text/csv" and table.data.startswith(b"day,time,")


def exiftool(folder, content):
    """All tags of a photo found by exiftool, by group and name."""
    path = folder / "told.jpg"
    path.write_bytes(content)
    done = subprocess.run(
        ["exiftool", "-j", "-G", "-a", path], capture_output=True, check=True, timeout=60)
    return json.loads(done.stdout)[0]


def test_the_client_sends_nothing_that_the_document_does_not_know(site):
    app = Client(site.url)
    with pytest.raises(Undocumented, match="passwort"):
        app.call("post_auth_login", {"email": "a@example.test", "passwort": "x"})
    with pytest.raises(Undocumented, match="not a 'uuid'"):
        app.call("get_posts_id", id="7")
    with pytest.raises(Undocumented, match="not one of"):
        app.call("post_photos", {"file": b"x", "shared": "yes"})
    with pytest.raises(Undocumented, match="not a 'idn-email'"):
        app.call("post_auth_login", {"email": "mei", "password": "x"})
    with pytest.raises(Undocumented, match="has no page"):
        app.call("get_posts", page=2)
    assert app.made == []


def test_the_client_takes_no_answer_that_the_document_does_not_know(site):
    app = Client(site.url)
    call = app.operations["get_couples_id"][2]
    del call["responses"]["404"]
    with pytest.raises(Undocumented, match="404 is not described"):
        app.call("get_couples_id", id=str(uuid.uuid4()))
    del app.components["schemas"]["Tokens"]["properties"]["expires_in"]
    with pytest.raises(Undocumented, match="expires_in"):
        app.sign_in("sam@example.test", site.demo_password())
