"""Choosing one's own picture in a browser."""

import pytest

import pictures
from test_pages import check, signed_in

PREVIEW = ".file-row img.avatar[src^='blob:']"


@pytest.mark.parametrize("part", [".file-row > label", ".composer-pick > label"])
def test_the_circle_and_the_button_choose_a_picture_that_is_shown_at_once(site, new_page, part):
    page = new_page()
    signed_in(page, site)
    page.goto("/settings/profile")
    with page.expect_file_chooser() as chosen:
        page.locator(part).first.click()
    chosen.value.set_files(pictures.TURNED)
    page.locator(PREVIEW).wait_for()
    check(page)


def test_a_picture_that_the_browser_cannot_show_is_named(site, new_page, tmp_path):
    page = new_page()
    signed_in(page, site)
    page.goto("/settings/profile")
    (tmp_path / "from-a-phone.heic").write_bytes(pictures.heic())
    page.locator("#avatar").set_input_files(tmp_path / "from-a-phone.heic")
    page.get_by_text("from-a-phone.heic").wait_for()
    assert page.locator(PREVIEW).count() == 0
    check(page)


def test_without_scripts_the_file_field_is_shown(site, new_page):
    page = new_page(java_script_enabled=False)
    page.goto("/sign-in")
    page.locator("#email").fill("mei@example.test")
    page.locator("#password").fill(site.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.goto("/settings/profile")
    assert page.locator("#avatar").bounding_box()["height"] >= 44
    assert page.locator(".composer-pick > label").is_hidden()
