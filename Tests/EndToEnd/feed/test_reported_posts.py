"""A post that its reader has reported."""

import secrets

import pytest

from test_pages import check


@pytest.mark.parametrize("script", [True, False])
def test_a_reported_post_is_folded_shown_and_unfolded_for_good(site, new_page, jun, script):
    words = f"To be reported, {secrets.token_hex(4)}."
    # Hidden posts beside each other are folded into one line.
    jun.write("Between two hidden posts.")
    link = jun.write(words).made
    page = new_page(java_script_enabled=script)
    page.goto("/sign-in")
    page.locator("#email").fill("sam@example.test")
    page.locator("#password").fill(site.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_text(words).wait_for()
    page.goto(f"{link}/report")
    form = page.locator("form", has=page.locator("input[name=reason]"))
    form.locator("input[name=reason][value=spam]").check()
    form.locator("input[name=next]").evaluate("(field) => { field.value = '/'; }")
    page.get_by_role("button", name="Send report").click()
    page.wait_for_url(f"{site.url}/")
    folded = page.get_by_test_id("reported").filter(has_text=words)
    folded.get_by_text("You reported this post.").wait_for()
    assert page.get_by_text(words).is_hidden()
    folded.get_by_text("Show post").click()
    page.get_by_text(words).wait_for()
    if script:
        check(page)
    folded.get_by_role("button", name="Take back").click()
    page.get_by_text("Report taken back").wait_for()
    assert page.url == f"{site.url}/"
    assert folded.count() == 0 and page.get_by_text(words).is_visible()
