"""Pages on screens with a rail: heads above their content, and what stands beside it."""

import pytest

from test_pages import check_axe, signed_in

FORMS = ["/settings/password", "/checkin/contacts", "/groups", "/wallet", "/settings/no-such-page"]


def wide(new_page, width):
    return new_page(
        viewport={"width": width, "height": 900}, is_mobile=False, has_touch=False)


def sides(page, selector):
    box = page.locator(selector).bounding_box()
    return round(box["x"]), round(box["x"] + box["width"])


@pytest.mark.parametrize("width", [1000, 1280])
def test_the_head_of_a_form_is_as_wide_as_the_form(site, new_page, width):
    page = wide(new_page, width)
    signed_in(page, site)
    for path in FORMS:
        page.goto(path)
        assert sides(page, "header.top") == sides(page, "main"), path


def test_the_list_of_settings_stands_beside_each_of_its_pages(site, new_page):
    page = wide(new_page, 1280)
    signed_in(page, site)
    page.goto("/settings")
    menu = page.get_by_test_id("settings-list")
    assert menu.count() == 0
    groups = page.get_by_test_id("settings").locator("section")
    assert len({round(group.bounding_box()["x"]) for group in groups.all()}) == 2
    check_axe(page)
    groups.get_by_role("link", name="Password", exact=True).click()
    page.wait_for_url("**/settings/password")
    assert menu.locator("[aria-current=page]").inner_text() == "Password"
    box, main = menu.bounding_box(), page.locator("main").bounding_box()
    assert box["x"] + box["width"] < main["x"] and box["y"] < main["y"]
    check_axe(page)
    menu.get_by_role("link", name="Emergency contacts").click()
    page.wait_for_url("**/checkin/contacts")
    assert menu.locator("[aria-current=page]").inner_text() == "Emergency contacts"
    page.set_viewport_size({"width": 1000, "height": 800})
    assert menu.is_hidden()


def test_the_feed_has_the_check_in_the_days_and_today_beside_it_and_above_it_on_phones(site, new_page):
    page = wide(new_page, 1280)
    signed_in(page, site)
    posts = page.locator("[data-posts]").bounding_box()
    together = page.get_by_role("region", name="The two of you")
    today = page.get_by_role("list", name="Today")
    for beside in [together, today]:
        box = beside.bounding_box()
        assert box["x"] >= posts["x"] + posts["width"] and box["y"] < posts["y"]
    check_axe(page)
    page.set_viewport_size({"width": 390, "height": 844})
    assert together.is_hidden()
    above = page.locator("[data-composer]").bounding_box()
    assert today.bounding_box()["y"] < above["y"]


def columns(page):
    return page.locator(".album-grid").first.evaluate(
        "(grid) => getComputedStyle(grid).gridTemplateColumns.split(' ').length")


def test_rooms_have_columns_where_there_is_room(site, mei, new_page):
    group = "/groups/" + mei.get("/groups").text.split('href="/groups/')[1].split('"')[0]
    page = wide(new_page, 1280)
    signed_in(page, site)
    for path, left, right in [
            ("/workouts", ".workout-list", ".workout-side"), (group, ".radar", ".group-side")]:
        page.goto(path)
        one, other = (page.locator(part).first.bounding_box() for part in (left, right))
        assert one["x"] + one["width"] < other["x"], path
    page.goto("/album")
    fewer = columns(page)
    page.set_viewport_size({"width": 1600, "height": 900})
    assert columns(page) > fewer > 3
    assert sides(page, "main")[1] > 1500
