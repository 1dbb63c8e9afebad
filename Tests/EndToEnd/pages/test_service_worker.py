"""The service worker: its cache, its offline pages, and updates."""

import shutil
import time

import pytest
from axe_playwright_python.sync_playwright import Axe

from conftest import PHONE
from instance import CHECKOUT, wait_until
from phone import controlled, told

AXE = Axe()
SHELLS = ["/offline", "/checkin/offline", "/workouts/offline", "/workouts/kept",
          "/workouts/record/offline", "/workouts/trainings/offline"]

STORES = "async () => (await caches.keys()).filter((name) => name.startsWith('files-')).sort()"


def test_without_a_network_any_page_says_so_and_comes_back_by_itself(new_page):
    page = controlled(new_page())
    page.context.set_offline(True)
    page.goto("/terms")
    page.get_by_role("heading", name="You’re offline").wait_for()
    assert page.url.endswith("/terms")
    page.context.set_offline(False)
    page.get_by_role("heading", name="Terms").first.wait_for()


def test_a_server_that_was_stopped_is_found_again_though_the_network_never_went(
        own_site, browser):
    site = own_site()
    context = browser.new_context(base_url=site.url, **PHONE)
    page = controlled(context.new_page())
    site.stop()
    page.goto("/terms")
    page.get_by_role("heading", name="You’re offline").wait_for()
    assert page.evaluate("navigator.onLine")
    site.start()
    page.get_by_role("heading", name="Terms").first.wait_for(timeout=30_000)
    context.close()


@pytest.mark.parametrize("path", ["/about", "/checkin"])
def test_a_page_of_the_server_stays_as_it_is(new_page, path):
    page = controlled(new_page(), path)
    page.evaluate("window.untouched = true")
    # The offline pages retry after 4 s.
    time.sleep(6)
    assert page.evaluate("window.untouched")


@pytest.mark.parametrize("language", ["en", "zh-Hant", "zh-Hans"])
def test_pages_without_a_network_speak_the_readers_language(new_page, texts, language):
    # The browser's own language is another one: the choice counts.
    page = controlled(new_page(locale="en-GB" if language != "en" else "zh-TW"))
    page.locator(f"button[name=language][value={language}]").click()
    page.locator(f"html[lang={language}]").wait_for()
    wait_until(
        lambda: page.evaluate(
            "caches.match('/language', {cacheName: 'reader'}).then((found) => found?.text())")
        == language, 10, "the language")
    page.context.set_offline(True)
    page.goto("/terms")
    assert page.locator("html").get_attribute("lang") == language
    assert page.locator("h1").inner_text() == texts(language)["offline.title"]
    page.goto("/checkin")
    assert page.locator("html").get_attribute("lang") == language


def test_a_chosen_theme_holds_without_a_network(new_page):
    page = controlled(new_page())
    page.locator("button[name=theme][value=dark]").click()
    wait_until(lambda: told(page, "theme") == {"": "dark"}, 10, "the theme")
    page.context.set_offline(True)
    page.goto("/terms")
    page.locator("html[data-theme=dark]").wait_for()


def test_nothing_that_was_made_for_somebody_is_kept(site, new_page):
    page = new_page()
    page.goto("/sign-in")
    page.locator("#email").fill("mei@example.test")
    page.locator("#password").fill(site.demo_password())
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.locator("[data-composer]").wait_for()
    for path in ["/", "/settings", "/about"]:
        controlled(page, path)
    kept = page.evaluate("""async () => {
      const found = [];
      for (const name of await caches.keys()) {
        const store = await caches.open(name);
        for (const request of await store.keys()) {
          const answer = await store.match(request);
          const path = new URL(request.url).pathname;
          found.push([path, answer.headers.get("Content-Type"), await answer.text()]);
        }
      }
      return found;
    }""")
    pages = {path for path, kind, _ in kept if "text/html" in (kind or "")}
    languages = ["en", "zh-Hant", "zh-Hans"]
    assert pages == {f"{shell}/{language}" for shell in SHELLS for language in languages}
    for path, _, words in kept:
        assert "Mei" not in words and "csrf_token\" value" not in words, path


def test_a_new_version_takes_over_and_breaks_no_open_page(own_site, browser, tmp_path):
    share = tmp_path / "share"
    for folder in ("public", "templates", "deploy"):
        shutil.copytree(CHECKOUT / folder, share / folder)
    site = own_site(PAIRSPOT_SHARE=str(share))
    context = browser.new_context(base_url=site.url, **PHONE)
    old = controlled(context.new_page())
    script = old.locator("script[src$='/js/app.js']").get_attribute("src")
    like = script.replace("app.js", "like.js")
    before = old.evaluate(STORES)
    assert len(before) == 1

    with open(share / "public/js/like.js", "a") as file:
        file.write("// a new version\n")
    # A hash is checked again after a second.
    time.sleep(1.2)
    new = controlled(context.new_page())
    assert new.locator("script[src$='/js/app.js']").get_attribute("src") != script
    wait_until(lambda: len(new.evaluate(STORES)) == 2, 15, "the second version")
    renewed = new.locator("script[src$='/js/app.js']").get_attribute("src")
    kept = "(path) => caches.match(path).then((found) => found ? found.text() : '')"
    wait_until(
        lambda: "new version" in new.evaluate(kept, renewed.replace("app.js", "like.js")), 15,
        "the new script")
    # The old page requests a script late, and gets its own version.
    ask = "(path) => fetch(path).then((answer) => answer.text())"
    assert "new version" not in old.evaluate(ask, like)
    context.set_offline(True)
    assert "new version" not in old.evaluate(ask, like)
    context.set_offline(False)

    old.close()
    new.goto("/terms")
    wait_until(lambda: before[0] not in new.evaluate(STORES), 15, "the end of the old version")
    assert len(new.evaluate(STORES)) == 1
    # Pages without a network are of the new version, and complete.
    context.set_offline(True)
    new.goto("/privacy")
    new.get_by_role("heading", name="You’re offline").wait_for()
    assert new.locator("script[src$='/js/app.js']").get_attribute("src") != script
    context.close()


def test_the_app_can_be_installed(site, installed):
    # A page of an ordinary context counts as a private window, where nothing can be installed.
    context = installed(site)
    page = controlled(context.new_page())
    session = context.new_cdp_session(page)
    assert session.send("Page.getInstallabilityErrors")["installabilityErrors"] == []
    manifest = session.send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert '"url": "/checkin"' in manifest["data"]


def test_the_pages_that_are_kept_are_accessible_and_fit(new_page):
    page = new_page()
    for shell in SHELLS:
        for language in ["en", "zh-Hant", "zh-Hans"]:
            page.goto(f"{shell}/{language}")
            page.locator("h1").wait_for()
            found = AXE.run(page).response["violations"]
            assert found == [], [(v["id"], [n["target"] for n in v["nodes"]]) for v in found]
            page.set_viewport_size({"width": 320, "height": 640})
            assert page.evaluate("document.documentElement.scrollWidth") <= 320
            page.set_viewport_size({"width": 390, "height": 844})
