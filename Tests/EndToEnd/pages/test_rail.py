"""The rail of wide screens."""

from test_pages import check_axe, signed_in

WIDE = {"viewport": {"width": 1280, "height": 720}, "is_mobile": False, "has_touch": False}
MODULES = ["/", "/checkin", "/album", "/workouts", "/groups"]
MORE = ["/search", "/notifications", "/messages", "/wallet", "/settings"]
PLACE = "document.activeElement.getAttribute('href') ?? document.activeElement.className"


def test_the_rail_has_all_places_in_the_order_of_the_tab_key(site, new_page):
    page = new_page(**WIDE)
    signed_in(page, site)
    rail = page.locator("nav.tabs li > a")
    assert rail.evaluate_all("links => links.map((link) => link.pathname)") == MODULES + MORE
    # The lowest entry ends above the account at the bottom.
    lowest, account = rail.last.bounding_box(), page.locator(".account").bounding_box()
    assert lowest["y"] + lowest["height"] <= account["y"]
    # No bell, and no empty row above the tabs of the feed.
    assert page.locator(".bell").is_hidden()
    assert page.locator(".top").evaluate("(top) => top.offsetHeight") == 0
    seen = []
    for _ in ["skip", *MODULES, *MORE, "account"]:
        page.keyboard.press("Tab")
        seen.append(page.evaluate(PLACE))
    assert seen == ["#main", *MODULES, *MORE, "account-button"]
    check_axe(page)


def test_a_phone_has_the_modules_alone_in_its_tabs(site, new_page):
    page = new_page()
    signed_in(page, site)
    shown = page.locator("nav.tabs li > a").evaluate_all(
        "links => links.filter((link) => link.checkVisibility()).map((link) => link.pathname)")
    assert shown == MODULES
    assert page.locator(".bell").is_visible()


def test_the_rail_leads_to_settings_and_marks_them(site, new_page):
    page = new_page(**WIDE)
    signed_in(page, site)
    page.locator(".tabs-more").get_by_role("link", name="Settings").click()
    page.wait_for_url("**/settings")
    assert page.locator("nav.tabs [aria-current]").inner_text() == "Settings"
    check_axe(page)
