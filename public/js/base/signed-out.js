// Keeps the back button from showing a signed-in page from memory after signing out.
const KEY = "signed-out";

export function watchSignedOut() {
  const member = document.body.dataset.signed === "in";
  // A page for no user in particular does not say whether someone is signed in.
  if (document.body.dataset.signed === "out") noteSignOut();
  document.addEventListener("submit", (event) => {
    if (event.target.matches("[data-sign-out]")) noteSignOut();
  });
  addEventListener("pageshow", (event) => {
    if (!event.persisted || !member || lastSignOut() < performance.timeOrigin) return;
    document.documentElement.hidden = true;
    location.reload();
  });
}

function noteSignOut() {
  try {
    localStorage.setItem(KEY, String(Date.now()));
  } catch {
    // Without storage the server's headers still keep the page from other people.
  }
}

function lastSignOut() {
  try {
    return Number(localStorage.getItem(KEY) ?? 0);
  } catch {
    return Infinity;
  }
}
