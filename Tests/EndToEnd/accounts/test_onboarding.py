"""The first complete path: two users become a couple and publish their first posts."""

import io
import json
import secrets
import subprocess
from pathlib import Path
from urllib.parse import urljoin

import pytest
from PIL import Image

import pictures
from instance import link_in, wait_until


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_two_people_register_and_post(site, new_page, tmp_path, script):
    name = secrets.token_hex(4)
    addresses = f"ann-{name}@example.test", f"ben-{name}@example.test"
    passwords = "umbrella by the river", "seven quiet lamps"
    before = site.media()
    ann = new_page(java_script_enabled=script)
    ben = new_page(java_script_enabled=script)

    register(ann, *addresses)
    for address in addresses:
        assert ann.get_by_text(address).is_visible()
    ask_for_a_new_link(site, ben, addresses[1])

    come_in(ann, link_in(site.mail_to(addresses[0])), "Ann", passwords[0])
    assert ann.url == f"{site.url}/register/waiting"
    assert ann.get_by_text(addresses[1]).is_visible()
    ann.goto("/")
    assert ann.locator("[data-composer]").count() == 0, "a pending couple can post already"

    come_in(ben, link_in(site.mail_to(addresses[1])), "Ben", passwords[1])
    assert ben.url == f"{site.url}/"
    assert ben.locator("[data-composer]").count() == 1

    sign_out(ann)
    sign_out(ben)
    sign_in(ann, addresses[0], passwords[0])
    sign_in(ben, addresses[1], passwords[1])

    files = [pictures.WITH_PLACE, pictures.TURNED, pictures.with_profile(tmp_path),
             pictures.drawn_png(tmp_path)]
    words = f"Our first day out, {name}. <b>Really</b> https://example.test/way"
    link = write(ann, words, files)
    ann.goto(link)
    post = ann.get_by_test_id("post")
    assert "<b>Really</b>" in post.inner_text(), "markup was not escaped"
    assert post.locator(".post-text a").get_attribute("rel") == "nofollow ugc noopener"
    check_pictures(site, ann, post, files)
    check_files(site.media() - before)

    ben.goto("/")
    card = ben.locator(f"[data-testid=post][data-id='{link.rsplit('/', 1)[1]}']")
    # With script the count rises before the server has the like.
    with ben.expect_response(lambda answer: answer.request.method == "POST"):
        card.get_by_role("button", name="Like").click()
    card.locator("[data-testid=like-count]", has_text="1").wait_for()
    assert card.get_by_role("button", name="Like").get_attribute("aria-pressed") == "true"
    ann.reload()
    assert ann.get_by_test_id("like-count").inner_text() == "1"
    ben.goto(link)
    # The partner may promote and delete it, and let only the two see it.
    offered = ben.locator("[data-menu].post-more a").evaluate_all(
        "links => links.map(link => link.getAttribute('href'))")
    path = link.removeprefix(site.url)
    assert offered == [f"{path}/delete", f"{path}/promote"]
    assert ben.locator(f"[formaction='{path}/narrow']").count() == 1

    edit(ann, "Our first day out, told again.")
    assert "edited" in post.inner_text()
    assert "told again" in post.inner_text()

    picture = urljoin(site.url, post.locator("img").first.get_attribute("src"))
    assert ann.request.get(picture).status == 200
    delete(ann, script)
    assert ann.goto(link).status == 404
    assert ann.request.get(picture).status == 404
    assert ben.request.get(picture).status == 404


def ask_for_a_new_link(site, page, address):
    """As the partner does whose link is too old."""
    site.mail_to(address)
    page.goto("/verify?token=nothing")
    page.locator("#email").fill(address)
    page.get_by_role("button", name="Send a new link").click()
    page.get_by_text("we’ve sent a new link").wait_for()
    site.mail_to(address, least=2)


def register(page, first, second):
    page.goto("/")
    page.get_by_role("link", name="Register together").first.click()
    page.get_by_label("Your email").fill(first)
    page.get_by_label("Your partner’s email").fill(second)
    page.get_by_label("Couple name").fill("Ann & Ben")
    page.get_by_label("The day you got together").fill("2024-02-29")
    page.locator("#accept").check()
    page.get_by_role("button", name="Send both links").click()
    page.wait_for_url("**/register/waiting")


def come_in(page, link, name, password):
    page.goto(link)
    page.locator("#display_name").fill(name)
    page.locator("#password").fill(password)
    page.get_by_role("button", name="Finish").click()
    page.wait_for_url(lambda url: "/verify" not in url and "/complete" not in url)


def sign_out(page):
    page.goto("/")
    page.locator("summary.account-button").click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("link", name="Register together").first.wait_for()


def sign_in(page, address, password):
    page.goto("/sign-in")
    page.locator("#email").fill(address)
    page.locator("#password").fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.locator("[data-composer]").wait_for()


def write(page, words, files):
    page.goto("/")
    page.locator("#content").fill(words)
    page.locator("#images").set_input_files([str(file) for file in files])
    page.locator("[data-composer] .composer-tools .button").click()
    post = page.get_by_test_id("post").filter(has_text=words[:20]).first
    post.wait_for()
    link = f"/posts/{post.get_attribute('data-id')}"
    page.goto(link)
    return link


def edit(page, words):
    page.locator("[data-menu].post-more summary").click()
    page.get_by_role("link", name="Edit", exact=True).click()
    page.wait_for_url("**/edit")
    page.locator("#content").fill(words)
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(lambda url: not url.endswith("/edit"))


def delete(page, script):
    page.locator("[data-menu].post-more summary").click()
    page.get_by_role("link", name="Delete", exact=True).click()
    if script:
        page.get_by_role("dialog").wait_for()
        assert not page.url.endswith("/delete")
    else:
        page.wait_for_url("**/delete")
    page.get_by_role("button", name="Delete post").click()
    page.wait_for_url(lambda url: "/posts/" not in url)


def check_pictures(site, page, post, files):
    """All pictures were loaded, upright and in order."""
    images = post.locator("img")
    # The post's avatars are initials, so every picture belongs to the post.
    assert images.count() == 4
    sizes = []
    for index in range(4):
        image = images.nth(index)
        image.scroll_into_view_if_needed()
        address = urljoin(site.url, image.get_attribute("src"))
        answer = page.request.get(address)
        assert answer.status == 200
        assert pictures.looks_like(answer.body(), files[index]), f"{files[index]} shows otherwise"
        with Image.open(io.BytesIO(answer.body())) as picture:
            sizes.append(picture.size)
        wait_until(lambda: image.evaluate("i => i.complete && i.naturalWidth"), 10, address)
        stated = (int(image.get_attribute("width")), int(image.get_attribute("height")))
        assert abs(stated[0] / stated[1] - sizes[-1][0] / sizes[-1][1]) < 0.02
    assert sizes[0] == (500, 375)
    assert sizes[1] == (102, 205), "the turned photograph is not upright"
    assert sizes[3] == (320, 200)


def check_files(files):
    """Stored pictures contain no place, camera or name."""
    assert len(files) >= 12
    found = json.loads(subprocess.run(
        ["exiftool", "-j", "-a", "-G1", "-s", *map(str, files)],
        capture_output=True, text=True, check=True).stdout)
    profiled = 0
    for file in found:
        bad = [key for key in file if key.split(":")[0].startswith(
            ("GPS", "IFD", "ExifIFD", "XMP", "IPTC", "Canon", "Nikon", "Interop", "Photoshop"))
            or "GPS" in key]
        assert bad == [], f"{Path(file['SourceFile']).name}: {bad}"
        profiled += pictures.profile_of(file["SourceFile"]) == pictures.profile()
    assert profiled == 5, "the colour profile was lost"
