"""The API as used by an app: JSON over plain HTTP, tokens in a header, links from mails."""

import json
import re
import threading
import uuid

import pytest

from instance import link_in, wait_until
from people import Visitor

PASSWORD = "lantern river seven"


class App(Visitor):
    """An app: no cookies, its own tokens, a device id."""

    def __init__(self, site, language="en"):
        super().__init__(site, language)
        self.device = str(uuid.uuid4())
        self.access = self.refresh_token = None

    def call(self, method, path, body=None, token=None):
        headers = {"User-Agent": "PairSpot/1.0 (test)"}
        if token or self.access:
            headers["Authorization"] = f"Bearer {token or self.access}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        answer = self.ask(
            method, f"/api/v1{path}", None if body is None else json.dumps(body), headers)
        assert not answer.all("Set-Cookie")
        assert answer.headers["X-Request-Id"]
        answer.json = json.loads(answer.text) if answer.body else None
        if answer.status < 300 and answer.json and "access_token" in answer.json:
            self.access = answer.json["access_token"]
            self.refresh_token = answer.json["refresh_token"]
        return answer

    def post(self, path, body=None, token=None):
        return self.call("POST", path, {} if body is None else body, token)

    def sign_in(self, address, password=PASSWORD, **more):
        return self.post("/auth/login", {"email": address, "password": password} | more)


def code(answer):
    return answer.json["error"]["code"]


def token_for(site, address, least=1):
    return link_in(site.mail_to(address, least=least)).split("token=")[1]


def couple(site):
    """Two new addresses of a couple registered with the API; returns them with its id."""
    mark = uuid.uuid4().hex[:8]
    addresses = [f"api-{name}-{mark}@example.test" for name in ("mei", "jun")]
    begun = App(site).post("/auth/register/initiate", {
        "email_a": addresses[0], "email_b": addresses[1], "couple_name": f"Two of {mark}",
        "anniversary": "2020-01-17", "accept_terms": True})
    assert begun.status == 202, begun.text
    for address, role, status in zip(
            addresses, ("partner_a", "partner_b"), ("pending", "active")):
        app = App(site)
        verified = app.post("/auth/register/verify", {"token": token_for(site, address)})
        assert verified.status == 200 and verified.json["role"] == role
        assert verified.json["couple_id"] == begun.json["couple_id"]
        done = app.post("/auth/register/complete", {
            "completion_token": verified.json["completion_token"], "password": PASSWORD,
            "display_name": role})
        assert done.status == 200 and done.json == {"couple_status": status}
    return *addresses, begun.json["couple_id"]


def test_a_couple_registers_signs_in_refreshes_and_signs_out(site):
    mei, jun, couple_id = couple(site)
    app = App(site)
    assert code(app.sign_in(mei, "not the password")) == "invalid_credentials"
    tokens = app.sign_in(mei, device_id=app.device)
    assert tokens.status == 200
    assert tokens.json["token_type"] == "Bearer" and tokens.json["expires_in"] == 900
    assert tokens.json["user_profile"]["couple_id"] == couple_id
    assert app.call("GET", "/account").json == tokens.json["user_profile"]
    assert app.call("GET", "/devices/binding").json["device_id"] == app.device

    first, old_access = app.refresh_token, app.access
    again = app.post("/auth/token/refresh", token=first)
    assert again.status == 200 and app.refresh_token != first
    assert app.call("GET", "/account", token=old_access).status == 200
    # The answer got lost: the same request again.
    assert app.post("/auth/refresh", {"refresh_token": first}).json[
        "refresh_token"] == again.json["refresh_token"]

    other = App(site)
    assert code(other.sign_in(mei, device_id=other.device)) == "device_already_bound"
    assert other.sign_in(jun, device_id=other.device).status == 200

    access, refresh = app.access, app.refresh_token
    assert app.post("/auth/logout").status == 204
    assert code(app.call("GET", "/account", token=access)) == "invalid_token"
    app.access = None
    assert code(app.post("/auth/refresh", {"refresh_token": refresh})) == "invalid_token"
    assert other.call("GET", "/account").status == 200
    assert App(site).sign_in(mei, device_id=str(uuid.uuid4())).status == 200


def test_both_are_the_same_people_on_pages_and_apps_are_listed_there(site):
    mei, _, couple_id = couple(site)
    app, browser = App(site), Visitor(site).sign_in(mei, PASSWORD)
    app.sign_in(mei)
    assert browser.get(f"/couples/{couple_id}").status == 200
    page = browser.get("/settings/sessions")
    assert "An app" in page.text
    handle = re.search(r'end=([A-Za-z0-9_-]{43})"', page.text)[1]
    ended = browser.post(
        "/settings/sessions",
        {"csrf_token": browser.token("/settings"), "session": handle, "current_password": PASSWORD})
    assert ended.status == 303
    assert code(app.call("GET", "/account")) == "invalid_token"


def test_a_new_password_by_mail_signs_the_app_out(site):
    mei, _, _ = couple(site)
    app = App(site)
    app.sign_in(mei)
    assert App(site).post("/auth/password/reset", {"email": mei}).status == 202
    mail = site.mail_to(mei, subject="password")
    body = {"token": link_in(mail).split("token=")[1], "password": "another sentence"}
    assert App(site).post("/auth/password/reset/confirm", body).status == 204
    assert code(App(site).post("/auth/password/reset/confirm", body)) == "link_expired"
    assert code(app.call("GET", "/account")) == "invalid_token"
    assert App(site).sign_in(mei).status == 401
    assert App(site).sign_in(mei, "another sentence").status == 200


def test_a_mailed_code_releases_the_device(site):
    mei, _, _ = couple(site)
    app = App(site)
    app.sign_in(mei, device_id=app.device)
    assert app.post("/auth/reauthenticate").status == 202
    mail = site.mail_to(mei, subject="code")
    digits = re.search(r"^(\d{6})\s*$", mail.get_body(("plain",)).get_content(), re.MULTILINE)[1]
    assert code(app.call("DELETE", "/devices/binding", {})) == "reauthentication_required"
    assert app.call("DELETE", "/devices/binding", {"code": digits}).status == 204
    assert app.call("GET", "/devices/binding").json["device_id"] is None


def test_forty_refreshes_at_once_give_one_pair(site):
    mei, _, _ = couple(site)
    app = App(site)
    app.sign_in(mei)
    found, token = [], app.refresh_token

    def refresh():
        found.append(App(site).post("/auth/refresh", {"refresh_token": token}))

    threads = [threading.Thread(target=refresh) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.status for answer in found} == {200}
    assert len({answer.json["refresh_token"] for answer in found}) == 1
    assert len({answer.json["access_token"] for answer in found}) == 1


def test_a_deleted_account_is_brought_back_with_its_couple(site):
    address, _, couple_id = couple(site)
    app = App(site)
    assert app.sign_in(address).status == 200
    left = app.call("DELETE", "/account", {"password": PASSWORD})
    assert left.status == 202 and left.json["restore_until"]
    assert code(app.sign_in(address)) == "forbidden"
    wrong = app.post("/account/restore", {"email": address, "password": "not the password"})
    assert wrong.status == 401 and code(wrong) == "invalid_credentials"
    proof = {"email": address, "password": PASSWORD}
    back = app.post("/account/restore", proof)
    assert back.status == 200 and back.json["user_profile"]["couple_id"] == couple_id
    assert app.call("GET", f"/couples/{couple_id}").json["status"] == "active"
    assert code(app.post("/account/restore", proof)) == "conflict"


def test_a_guest_comes_back_by_the_code(site):
    app = App(site)
    made = app.post("/auth/guest", {"display_name": "Kim"})
    assert made.status == 201 and made.json["user_profile"]["kind"] == "guest"
    back = App(site).post(
        "/auth/guest/recover", {"recovery_code": made.json["recovery_code"]})
    assert back.status == 200
    assert back.json["user_profile"]["id"] == made.json["user_profile"]["id"]


@pytest.mark.parametrize("path, method, body, status, expected", [
    ("/auth/login", "POST", b"{", 400, "invalid_json"),
    ("/auth/login", "POST", b"", 400, "invalid_json"),
    ("/auth/login", "POST", b"[]", 422, "validation_error"),
    ("/auth/login", "GET", None, 405, "method_not_allowed"),
    ("/auth/logout", "POST", b"{}", 401, "invalid_token"),
    ("/auth/refresh", "POST", None, 401, "invalid_token"),
    ("/auth/register/complete", "POST",
     b'{"completion_token": "x", "password": "lantern river seven"}', 410, "link_expired"),
    ("/devices/binding", "PUT", b"{}", 401, "invalid_token"),
])
def test_what_is_wrong_is_told_in_one_shape(site, path, method, body, status, expected):
    answer = Visitor(site).ask(
        method, f"/api/v1{path}", body, {"Content-Type": "application/json"})
    assert answer.status == status, answer.text
    assert json.loads(answer.text)["error"]["code"] == expected


def test_keys_of_tokens_are_the_owners_alone_and_outlive_a_restart(own_site):
    site = own_site(PAIRSPOT_DEMO="1")
    app = App(site)
    assert app.sign_in("mei@example.test", site.demo_password()).status == 200
    keys = site.data / "secrets" / "token-keys.json"
    assert keys.stat().st_mode & 0o777 == 0o600
    site.stop()
    site.start()
    assert app.call("GET", "/account").status == 200
    assert wait_until(lambda: app.post("/auth/refresh", token=app.refresh_token), 5, "a pair")
