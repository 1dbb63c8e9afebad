"""The one device that records (docs/developer/workouts.md#binding): a second one gets an
explanation, releases the first, and works; workouts stored on the first are uploaded all the
same."""

import re

from instance import wait_until
from test_recorder import NO_BLUETOOTH
from test_workouts_offline import finish, kept, riders, workout  # noqa: F401


def start(rider):
    """Presses start on the recording page, with the stopwatch."""
    rider.page.goto("/workouts/record")
    rider.page.locator("form[data-view=setup]").wait_for()
    rider.page.locator("[data-start]").click()


def told_of_another(rider):
    dialog = rider.page.get_by_role("dialog")
    dialog.get_by_text(re.compile("another device")).wait_for()
    assert not rider.page.locator(".dashboard").is_visible()
    return dialog


def test_a_second_device_is_told_releases_the_first_and_works(riders):
    phone, laptop = riders().come(), riders().come()
    for one in (phone, laptop):
        one.context.add_init_script(NO_BLUETOOTH)
    start(phone)
    phone.page.locator(".dashboard").wait_for()
    phone.page.get_by_role("button", name="End", exact=True).click()
    phone.page.get_by_role("dialog").get_by_role("button", name="Discard").click()
    phone.page.get_by_role("dialog").last.get_by_role("button", name="Discard").click()
    phone.page.locator("form[data-view=setup]").wait_for()
    phone.context.set_offline(True)
    (waiting,) = finish(phone.page, workout(1))

    # The second device: shown the bound one, sent to the page that releases it, and back.
    start(laptop)
    told_of_another(laptop).get_by_role("link").click()
    laptop.page.get_by_test_id("bound-device").get_by_text("Chrome").wait_for()
    assert laptop.page.get_by_role("alert").is_visible()
    release = laptop.page.get_by_role("button", name=re.compile("Release"))
    laptop.page.locator("#current_password").fill("not this one")
    release.click()
    laptop.page.get_by_test_id("error-summary").wait_for()
    laptop.page.locator("#current_password").fill(laptop.site.demo_password())
    release.click()
    laptop.page.wait_for_url("**/workouts/record")
    start(laptop)
    laptop.page.locator(".dashboard").wait_for()

    # The first: its stored workouts are uploaded, and it gets the explanation when it records
    # again.
    phone.context.set_offline(False)
    phone.page.goto("/workouts")
    wait_until(lambda: kept(phone.page)[waiting] == "synced", 30, "the upload")
    assert waiting in phone.on_server()
    start(phone)
    told_of_another(phone)
    assert laptop.page.locator(".dashboard").is_visible()
