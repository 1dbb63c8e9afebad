"""Answers beside their pages: headers, statuses, visibility."""

import re

import pytest

import pictures
from instance import link_in
from people import Visitor, picture_addresses


def only(answer, name):
    values = answer.all(name)
    assert len(values) == 1, f"{name}: {values}"
    return values[0]


@pytest.mark.parametrize("path", ["/", "/register", "/sign-in", "/about", "/nobody-is-here"])
def test_pages_carry_the_security_headers(visitor, path):
    answer = visitor.get(path)
    policy = only(answer, "Content-Security-Policy")
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "object-src 'none'" in policy
    assert "base-uri 'none'" in policy
    assert "unsafe" not in policy
    assert only(answer, "X-Content-Type-Options") == "nosniff"
    assert only(answer, "Referrer-Policy") == "same-origin"
    assert "geolocation=(self)" in only(answer, "Permissions-Policy")
    assert only(answer, "Cache-Control") in ("private, no-cache", "no-store")
    assert not re.search(r"\d", answer.headers["Server"] or "")
    assert "<style" not in answer.text and " style=" not in answer.text
    assert not re.search(r"<script(?![^>]* src=)", answer.text)


def test_addresses_with_a_token_are_kept_by_nobody(visitor):
    for path in ("/verify?token=nothing", "/reset/confirm?token=nothing",
                 "/pair/accept?token=nothing", "/settings/email/confirm?token=nothing",
                 "/staff/enrol?token=nothing"):
        assert only(visitor.get(path), "Cache-Control") == "no-store"


def test_cookies_are_out_of_reach_of_scripts(site, visitor):
    fields = {
        "csrf_token": visitor.token("/sign-in"), "email": "mei@example.test",
        "password": site.demo_password(), "next": "/",
    }
    answer = visitor.post("/sign-in", fields)
    lines = [line for line in answer.all("Set-Cookie") if line.startswith("session_")]
    assert len(lines) == 1
    assert lines[0].startswith(f"session_{site.port}=")
    for part in ("HttpOnly", "SameSite=Lax", "Path=/", "Max-Age="):
        assert part in lines[0]


def test_assets_never_change_under_their_name(visitor):
    page = visitor.get("/").text
    addresses = set(re.findall(r'(?:href|src)="(/assets/[^"#]+)', page))
    assert len(addresses) >= 4
    for address in addresses:
        answer = visitor.get(address)
        assert answer.status == 200
        assert only(answer, "Cache-Control") == "public, max-age=31536000, immutable"
        assert only(answer, "X-Content-Type-Options") == "nosniff"
    other = re.sub(r"/assets/[^/]+/", "/assets/0123456789abcdef/", addresses.pop())
    assert "immutable" not in visitor.get(other).headers["Cache-Control"]


def test_another_host_is_refused(site, visitor):
    assert visitor.get("/", Host="evil.example").status == 421
    assert visitor.get("/", Host=f"evil.example:{site.port}").status == 421
    assert visitor.get("/", Host=f"localhost:{site.port}").status == 200


def test_an_overlong_header_is_refused_with_a_page(visitor):
    answer = visitor.get("/", **{"X-Long": "a" * 40_000})
    assert answer.status == 431
    assert "<html" in answer.text


def test_the_address_of_signed_out_people_leads_to_the_sign_in(visitor):
    answer = visitor.post("/posts", {"csrf_token": visitor.token(), "content": "hello"})
    assert answer.status == 303
    assert answer.location.startswith("/sign-in")


# Forged and stale forms


def test_a_refused_token_keeps_what_was_typed_but_no_password(visitor):
    fields = {"csrf_token": "stale", "display_name": "Ines <3", "email": "ines@example.test",
              "password": "not to be shown again", "accept": "1"}
    visitor.get("/register/alone")
    answer = visitor.post("/register/alone", fields)
    assert answer.status == 403
    kept = answer.form("/register/alone")
    assert kept["display_name"] == "Ines <3"
    assert kept["email"] == "ines@example.test"
    assert "password" not in kept
    assert "not to be shown again" not in answer.text
    again = visitor.post("/register/alone", kept | {"password": "a stone on the shelf"})
    assert again.status == 303


@pytest.mark.parametrize("headers", [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
])
def test_a_form_of_another_site_is_refused_even_with_a_token(mei, headers):
    fields = mei.composer() | {"content": "forged", "visibility": "public"}
    assert mei.post("/posts", fields, **headers).status == 403
    assert "forged" not in mei.get("/").text


def test_the_token_of_somebody_else_is_refused(mei, sam):
    fields = mei.composer() | {"csrf_token": sam.token(), "content": "borrowed"}
    assert mei.post("/posts", fields).status == 403


def test_a_refused_post_can_be_sent_again(mei):
    fields = mei.composer() | {"csrf_token": "stale", "content": "kept\nwords"}
    answer = mei.post("/posts", fields)
    assert answer.status == 403
    kept = answer.form("/posts")
    sent = mei.post("/posts", kept)
    assert sent.status == 303
    assert "kept" in mei.get(sent.location).text


# Posts


def test_sending_the_same_form_twice_posts_once(mei):
    fields = mei.composer()
    file = ("a.png", pictures.png_bytes((1, 2, 3)))
    first = mei.write("only once, please", files=[file], fields=fields)
    second = mei.write("only once, please", files=[file], fields=fields)
    assert first.status == second.status == 303
    assert first.made == second.made
    assert mei.get("/").text.count("only once, please") == 1


def test_the_same_form_with_other_words_is_another_post(mei):
    fields = mei.composer()
    first = mei.write("went back", fields=fields)
    second = mei.write("and wrote again", fields=fields)
    assert first.made != second.made


def all_pictures(person, link):
    """The pictures on a post's page, and the full-size one on the linked page."""
    whole = person.get(f"{link}/pictures/1")
    assert whole.status == 200
    return set(picture_addresses(person.get(link).text)) | set(picture_addresses(whole.text))


def test_pictures_of_public_posts_have_each_header_once(mei, visitor):
    link = mei.write("public", files=[("a.jpg", pictures.WITH_PLACE.read_bytes())]).made
    addresses = all_pictures(visitor, link)
    assert len(addresses) >= 3
    kinds = set()
    for address in addresses:
        answer = visitor.get(address)
        assert answer.status == 200
        assert "sandbox" in only(answer, "Content-Security-Policy")
        assert only(answer, "X-Content-Type-Options") == "nosniff"
        assert only(answer, "Cache-Control") == "public, max-age=31536000, immutable"
        kinds.add(only(answer, "Content-Type"))
        assert answer.headers["X-Accel-Redirect"] is None
        assert "GPS" not in answer.body.decode("latin-1")
    assert kinds == {"image/jpeg", "image/webp"}


def test_what_is_for_two_is_not_there_for_anybody_else(mei, jun, sam, visitor):
    file = ("a.jpg", pictures.WITH_PLACE.read_bytes())
    link = mei.write("only for Jun", visibility="couple", files=[file]).made
    assert jun.get(link).status == 200
    addresses = all_pictures(jun, link)
    assert len(addresses) >= 3
    for address in addresses:
        answer = jun.get(address)
        assert answer.status == 200
        assert only(answer, "Cache-Control") == "private, no-store"
    for stranger in (sam, visitor):
        missing = stranger.get("/posts/00000000-0000-7000-8000-000000000000")
        answer = stranger.get(link)
        assert answer.status == missing.status == 404
        assert "only for Jun" not in answer.text + stranger.get("/").text
        for address in addresses:
            assert stranger.get(address).status == 404
    for path in (f"{link}/edit", f"{link}/delete"):
        assert sam.get(path).status == 404
    assert sam.post(f"{link}/like", {"csrf_token": sam.token()}).status == 404


def test_narrowing_a_post_gives_its_pictures_new_names(mei, jun, visitor):
    link = mei.write("for all at first", files=[("a.png", pictures.png_bytes())]).made
    old = picture_addresses(visitor.get(link).text)
    fields = mei.get(f"{link}/edit").form(f"{link}/edit")
    assert mei.post(f"{link}/edit", fields | {"visibility": "couple"}).status == 303
    new = picture_addresses(jun.get(link).text)
    assert new and not set(new) & set(old)
    assert all(mei.get(address).status == 404 for address in old)
    assert visitor.get(new[0]).status == 404


def test_only_the_author_edits_and_only_the_couple_deletes_and_narrows(mei, jun, sam):
    link = mei.write("Mei’s own words").made
    for other in (jun, sam):
        fields = {"csrf_token": other.token(), "content": "not hers", "visibility": "public"}
        assert other.get(f"{link}/edit").status == 403
        assert other.post(f"{link}/edit", fields).status == 403
    for action in ("delete", "narrow"):
        assert sam.post(f"{link}/{action}", {"csrf_token": sam.token()}).status == 403
    assert "Mei’s own words" in sam.get(link).text
    assert jun.post(f"{link}/narrow", {"csrf_token": jun.token()}).status == 303
    assert sam.get(link).status == 404
    assert "Mei’s own words" in mei.get(link).text


def test_only_the_couple_restores_a_deleted_post(mei, jun, sam):
    link = mei.write("Deleted, and wanted again").made
    assert mei.post(f"{link}/delete", {"csrf_token": mei.token()}).status == 303
    assert sam.post(f"{link}/restore", {"csrf_token": sam.token()}).status == 404
    assert "wanted again" not in sam.get("/posts/deleted").text
    assert Visitor(mei.site).get("/posts/deleted").location.startswith("/sign-in")
    assert "wanted again" in mei.get("/posts/deleted").text
    assert jun.post(f"{link}/restore", {"csrf_token": jun.token()}).status == 303
    assert mei.get(link).status == 200


def test_comments_photos_and_workouts_are_guarded(mei, jun, sam):
    link = mei.write("Talked about").made
    token = {"csrf_token": mei.token()}
    made = mei.post(f"{link}/comments", token | {"content": "Mine"}).location
    comment = "/comments/" + made.split("#comment-")[1]
    photo = re.search(r'href="(/album/[0-9a-f-]{36})"', mei.get("/album?tab=mine").text)[1]
    workout = re.search(r'href="(/workouts/[0-9a-f-]{36})"', mei.get("/workouts").text)[1]
    outsider = {"csrf_token": sam.token()}
    for path in (f"{comment}/delete", f"{comment}/restore", f"{photo}/restore", f"{photo}/erase",
                 f"{workout}/edit", f"{workout}/share"):
        assert sam.post(path, outsider | {"content": "Not mine"}).status == 404, path
        assert Visitor(mei.site).post(path, {}).status in (303, 403), path
    for path in (f"{photo}/erase", f"{workout}/edit", f"{workout}/share", f"{workout}/picture"):
        for other in (jun, sam):
            assert other.get(path).status == 404, path
    assert "Mine" in sam.get(link).text
    assert jun.post(f"{comment}/delete", {"csrf_token": jun.token()}).status == 303
    assert "Mine" not in sam.get(link).text


def test_liking_twice_counts_once(mei, jun):
    link = mei.write("likeable").made
    for _ in range(2):
        assert jun.post(f"{link}/like", {"csrf_token": jun.token()}).status == 303
    assert 'data-testid="like-count">1<' in mei.get(link).text
    assert jun.post(f"{link}/unlike", {"csrf_token": jun.token()}).status == 303
    assert 'data-testid="like-count">0<' in mei.get(link).text


def test_words_that_are_too_long_come_back(mei):
    answer = mei.write("字" * 2001)
    assert answer.status == 422
    assert answer.form("/posts")["content"] == "字" * 2001
    assert mei.write("字" * 2000).status == 303


def test_older_posts_neither_repeat_nor_skip(mei, sam):
    for number in range(25):
        assert sam.write(f"number {number} of many").status == 303
    seen, path = [], "/"
    for page in range(40):
        text = mei.get(path).text
        seen += re.findall(r'data-testid="post" data-id="([^"]+)"', text)
        if page == 0:
            sam.write("a newcomer")
        older = re.search(r'href="([^"]+)" rel="next"', text)
        if not older:
            break
        path = older[1].replace("&amp;", "&")
    assert page >= 1
    assert len(seen) == len(set(seen))
    for number in range(25):
        assert any(f"number {number} of many" in mei.get(f"/posts/{id}").text for id in seen[:60])


# Accounts


def test_nothing_reveals_whether_an_address_has_an_account(site):
    def register(address):
        new = Visitor(site)
        answer = new.post("/register", {
            "csrf_token": new.token("/register"), "email_a": address,
            "email_b": f"other-{address}", "couple_name": "Two", "anniversary": "2024-01-01",
            "accept": "1"})
        page = new.get(answer.location).text.replace(address, "@")
        without_tokens_and_times = re.sub(r'value="[\w-]{60,}"|\d{13}', "", page)
        return answer.status, answer.location, without_tokens_and_times
    known, unknown = register("sam@example.test"), register("new@example.test")
    assert known[:2] == unknown[:2]
    assert known[2].splitlines() == unknown[2].splitlines()
    mail = site.mail_to("sam@example.test", "pair with you").get_body(("plain",)).get_content()
    assert "/pair/accept?token=" in mail and "/verify" not in mail


def test_a_link_is_not_used_up_by_looking_at_it(site, visitor):
    fields = {"csrf_token": visitor.token("/register/alone"), "display_name": "Lin",
              "email": "lin@example.test", "password": "a lamp in the hall", "accept": "1"}
    assert visitor.post("/register/alone", fields).status == 303
    path = link_in(site.mail_to("lin@example.test")).removeprefix(site.url)
    for _ in range(3):
        assert Visitor(site).get(path).status == 200
    page = visitor.get(path)
    action = next(to for to, _ in page.forms if to.startswith("/verify"))
    answer = visitor.post(action, page.form(action))
    assert answer.status == 303 and answer.location == "/"
    assert visitor.get("/").form("/posts")
    assert "token" not in dict(Visitor(site).get(path).forms).get(action, {})


def test_a_new_password_ends_other_sessions(site, visitor):
    register = {"csrf_token": visitor.token("/register/alone"), "display_name": "Ora",
                "email": "ora@example.test", "password": "an old small boat", "accept": "1"}
    visitor.post("/register/alone", register)
    page = visitor.get(link_in(site.mail_to("ora@example.test")).removeprefix(site.url))
    action = next(to for to, _ in page.forms if to.startswith("/verify"))
    visitor.post(action, page.form(action))
    assert visitor.get("/").form("/posts")

    other = Visitor(site)
    asked = other.post("/reset", {"csrf_token": other.token("/reset"), "email": "ora@example.test"})
    assert asked.status in (200, 303)
    mail = site.mail_to("ora@example.test", "Reset your")
    page = other.get(link_in(mail).removeprefix(site.url))
    action, fields = next((to, f) for to, f in page.forms if "confirm" in to)
    saved = other.post(action, fields | {"password": "a new small boat"})
    assert saved.status == 303
    assert not any(to == "/posts" for to, _ in visitor.get("/").forms)
    Visitor(site).sign_in("ora@example.test", "a new small boat")
    with pytest.raises(AssertionError):
        Visitor(site).sign_in("ora@example.test", "an old small boat")
