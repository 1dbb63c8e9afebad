"""The rate limits, which are off in all other tests."""

from instance import Instance
from people import Visitor


def test_too_many_sign_ins_are_told_when_to_come_back(tmp_path):
    site = Instance(tmp_path, PAIRSPOT_RATE_LIMITS="on").start()
    try:
        visitor = Visitor(site)
        fields = {"csrf_token": visitor.token("/sign-in"), "email": "nobody@example.test",
                  "password": "not the right one", "next": "/"}
        statuses = []
        for _ in range(12):
            answer = visitor.post("/sign-in", fields)
            statuses.append(answer.status)
        assert statuses[:10] == [422] * 10
        assert statuses[-1] == 429
        assert int(answer.headers["Retry-After"]) > 0
        assert "<html" in answer.text
        # Pages can still be read.
        assert visitor.get("/about").status == 200
    finally:
        site.stop()


def test_a_stranger_keeps_nobody_out_of_their_own_browser(own_site):
    site = own_site(PAIRSPOT_RATE_LIMITS="on", PAIRSPOT_DEMO="1")
    mei = Visitor(site).sign_in("mei@example.test")
    assert mei.post("/sign-out", {"csrf_token": mei.token("/about")}).status == 303
    stranger = Visitor(site)
    fields = {"csrf_token": stranger.token("/sign-in"), "email": "mei@example.test",
              "password": "not the right one", "next": "/"}
    statuses = [stranger.post("/sign-in", fields).status for _ in range(100)]
    # Ten attempts a minute per address, including her own sign-in.
    assert statuses == [422] * 9 + [429] * 91
    assert stranger.post("/sign-in", fields | {"password": site.demo_password()}).status == 429
    # From the very same address, in the browser in which she was signed in before.
    mei.sign_in("mei@example.test")
    assert mei.get("/settings").status == 200


def test_a_sixth_registration_within_the_hour_is_too_many(tmp_path):
    site = Instance(tmp_path, PAIRSPOT_RATE_LIMITS="on").start()
    try:
        statuses = []
        for number in range(6):
            visitor = Visitor(site)
            fields = {"csrf_token": visitor.token("/register/alone"), "display_name": "Lin",
                      "email": f"lin{number}@example.test", "password": "a lamp in the hall",
                      "accept": "1"}
            statuses.append(visitor.post("/register/alone", fields).status)
        assert statuses == [303] * 5 + [429]
    finally:
        site.stop()
