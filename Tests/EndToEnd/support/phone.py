"""Data stored in a browser: the service worker, and IndexedDB."""

from instance import wait_until

ALL = """(name) => new Promise((resolve, reject) => {
  const opening = indexedDB.open("pairspot");
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const found = opening.result.transaction(name).objectStore(name).getAll();
    found.onsuccess = () => {
      opening.result.close();
      resolve(found.result);
    };
  };
})"""


def controlled(page, path="/about"):
    """Opens a page and waits until the service worker has cached all its files."""
    page.goto(path)
    # Playwright's own wait_for_function evaluates strings, which the pages forbid.
    wait_until(
        lambda: page.evaluate("Boolean(navigator.serviceWorker.controller)"), 20,
        "the service worker")
    wait_until(lambda: page.evaluate("caches.has('reader')"), 10, "the reader's language")
    return page


def outbox(page):
    """Waiting and refused rows of all users on this browser."""
    return page.evaluate(ALL, "outbox")


def told(page, name):
    """Values shared by pages under a name, by user; "" is the browser."""
    rows = page.evaluate(ALL, "told")
    return {row["user"]: row["value"] for row in rows if row["name"] == name}
