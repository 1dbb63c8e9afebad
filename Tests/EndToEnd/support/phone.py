"""Data stored in a browser: the service worker, and IndexedDB."""

from instance import wait_until

ALL = """(name) => new Promise((resolve, reject) => {
  const opening = indexedDB.open("pairspot");
  // Only the pages create the database.
  opening.onupgradeneeded = () => opening.transaction.abort();
  opening.onblocked = () => reject(new Error("blocked"));
  opening.onerror = () =>
    opening.error.name === "AbortError" ? resolve([]) : reject(opening.error);
  opening.onsuccess = () => {
    const reading = opening.result.transaction(name);
    const found = reading.objectStore(name).getAll();
    reading.oncomplete = () => {
      opening.result.close();
      resolve(found.result);
    };
    reading.onabort = () => reject(reading.error);
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
