"""One instance and one browser a run, one context a test."""

import functools
import html
import json

import pytest
from playwright.sync_api import sync_playwright

from instance import CHECKOUT, Instance
from mail_sink import Sink
from people import Visitor

PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
    "locale": "en-GB",
    "reduced_motion": "reduce",
}


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    instance = Instance(tmp_path_factory.mktemp("pairspot"), PAIRSPOT_DEMO="1").start()
    yield instance
    instance.stop()


@pytest.fixture
def own_site(tmp_path):
    """Makes an instance that only one test uses."""
    started = []

    def make(**variables):
        # Kept before it starts: one that fails to is ended too.
        started.append(Instance(tmp_path, **variables))
        return started[-1].start()

    yield make
    for instance in started:
        if instance.process and instance.process.poll() is None:
            instance.stop()


@pytest.fixture
def sink():
    server = Sink()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def new_page(site, browser):
    """Makes a page of a browser of its own; everything it complains about fails the test."""
    contexts, complaints = [], []

    def make(**options):
        context = browser.new_context(base_url=site.url, **(PHONE | options))
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text)
                if "Content Security Policy" in message.text else None)
        return page

    yield make
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def visitor(site):
    """Somebody without a browser: plain HTTP requests that keep cookies."""
    return Visitor(site)


@pytest.fixture
def mei(site):
    return Visitor(site).sign_in("mei@example.test")


@pytest.fixture
def jun(site):
    return Visitor(site).sign_in("jun@example.test")


@pytest.fixture
def sam(site):
    return Visitor(site).sign_in("sam@example.test")


@pytest.fixture(scope="session")
def texts():
    """The catalogue of a language, as it stands in HTML."""
    @functools.cache
    def catalogue(language):
        file = CHECKOUT / f"templates/locales/{language}.json"
        found = json.loads(file.read_text())
        return {key: html.escape(text) for key, text in found.items() if isinstance(text, str)}
    return catalogue
