"""One instance and one browser per process (one more process than cores), one context per test."""

import functools
import html
import json
import os

import pytest
from playwright.sync_api import sync_playwright

from disks import small_disk  # noqa: F401  (a fixture)
from instance import CHECKOUT, Demonstration, Instance
from mail_sink import Sink
from moving_clock import moving_clock  # noqa: F401  (a fixture)
from people import Visitor
from servers import PostgreSQL

ON_POSTGRESQL = os.environ.get("TEST_DATABASE") == "postgresql"
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
    "locale": "en-GB",
    "reduced_motion": "reduce",
}


@pytest.fixture(scope="session", autouse=True)
def database_server():
    """On PostgreSQL, this process's server."""
    if not ON_POSTGRESQL:
        yield
        return
    Instance.server = PostgreSQL(fsync="off")
    try:
        yield Instance.server.start()
    finally:
        Instance.server.remove()


@pytest.fixture(scope="session", autouse=True)
def demonstration(tmp_path_factory, database_server):
    """Shared by all processes of this run, unless each has a database server."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ and not database_server:
        folder = folder.parent
    Instance.demonstration = Demonstration(folder / "demonstration")


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    instance = Instance(tmp_path_factory.mktemp("pairspot"), PAIRSPOT_DEMO="1").start()
    yield instance
    instance.stop()


@pytest.fixture
def own_site(tmp_path):
    """Makes an instance for a single test."""
    started = []

    def make(program=None, **variables):
        # Registered before it starts, so that one that fails to start is stopped, too.
        started.append(Instance(tmp_path, **variables))
        started[-1].program = program or started[-1].program
        return started[-1].start()

    yield make
    for instance in started:
        if instance.process and instance.process.poll() is None:
            instance.stop()
        instance.drop_database()


@pytest.fixture
def postgresql():
    """A PostgreSQL server for a single test, which may stop it."""
    server = PostgreSQL(fsync="off")
    try:
        yield server.start()
    finally:
        server.remove()


@pytest.fixture
def sink():
    server = Sink()
    yield server
    server.stop()


def pytest_collection_modifyitems(items):
    if ON_POSTGRESQL:
        for item in items:
            for marker in item.iter_markers("sqlite"):
                item.add_marker(pytest.mark.skip(f"for SQLite: {marker.args[0]}"))
    # In CI a test with a browser is tried once more: three at most, and they are named at the end
    # (test.sh). Elsewhere it fails at once.
    if not os.environ.get("CI"):
        return
    for item in items:
        if "playwright" in item._fixtureinfo.names_closure:
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_terminal_summary(terminalreporter):
    for report in terminalreporter.stats.get("rerun", []):
        said = report.longreprtext.splitlines()
        why = next((line for line in said if line.startswith("E ")), "E").removeprefix("E").strip()
        terminalreporter.write_line(f"tried again: {report.nodeid} - {why}")
        for line in said:
            terminalreporter.write_line(f"  {line}")


# Features that Playwright disables, since a browser accepts only one such list; and the two pages
# that each window of a newer Chromium loads for its address bar, which is not visible here: as much
# work as the page of a test.
SWITCHED_OFF = [
    "AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades",
    "LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding",
    "PreconnectToSearch", "ThirdPartyStoragePartitioning",
    "WebUIOmniboxAimPopup", "WebUIOmniboxPopup"]
CHROMIUM = {
    "executable_path": "/usr/bin/chromium",
    "args": ["--no-sandbox", "--disable-features=" + ",".join(SWITCHED_OFF)]}


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright):
    browser = playwright.chromium.launch(**CHROMIUM)
    yield browser
    browser.close()


def parted(context):
    """Closes the windows of a browser. Pending requests of a test are released first, otherwise
    the next test would get an error about an answer in progress."""
    pages = context.pages
    for page in pages:
        page.unroute_all(behavior="ignoreErrors")
    if pages:
        context.unroute_all(behavior="ignoreErrors")
    context.close()


@pytest.fixture
def installed(playwright, tmp_path):
    """Starts a browser with a profile on disk, like a user's own: stored data outlive it, and
    pages can be installed."""
    started = []

    def start(site):
        started.append(playwright.chromium.launch_persistent_context(
            tmp_path / "profile", base_url=site.url, **CHROMIUM, **PHONE))
        started[-1].set_default_timeout(15_000)
        return started[-1]

    yield start
    for context in started:
        parted(context)


@pytest.fixture
def new_page(site, browser):
    """Makes a page in a browser of its own; all errors reported by it fail the test, except those
    of pages of another site, whose address is `elsewhere`."""
    contexts, complaints = [], []

    def make(elsewhere=None, **options):
        def is_ours(message):
            return not (elsewhere and message.location["url"].startswith(elsewhere))

        context = browser.new_context(base_url=site.url, **(PHONE | options))
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text)
                if "Content Security Policy" in message.text and is_ours(message) else None)
        return page

    yield make
    for context in contexts:
        parted(context)
    assert complaints == []


@pytest.fixture
def visitor(site):
    """A visitor without a browser: plain HTTP requests with cookies."""
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
    """The catalogue of a language, escaped for HTML."""
    @functools.cache
    def catalogue(language):
        file = CHECKOUT / f"templates/locales/{language}.json"
        found = json.loads(file.read_text())
        return {key: html.escape(text) for key, text in found.items() if isinstance(text, str)}
    return catalogue
