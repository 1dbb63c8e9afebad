// After signing out, the back button must not bring a signed-in page back from memory.
const KEY = "signed-out";

export function signedOut() {
  const member = document.body.dataset.signed === "in";
  // A page made for nobody says nothing about anybody.
  if (document.body.dataset.signed === "out") mark();
  document.addEventListener("submit", (event) => {
    if (event.target.matches("[data-sign-out]")) mark();
  });
  addEventListener("pageshow", (event) => {
    if (!event.persisted || !member || lastMark() < performance.timeOrigin) return;
    document.documentElement.hidden = true;
    location.reload();
  });
}

function mark() {
  try {
    localStorage.setItem(KEY, String(Date.now()));
  } catch {
    // Without storage the server's own headers still keep the page from other people.
  }
}

function lastMark() {
  try {
    return Number(localStorage.getItem(KEY) ?? 0);
  } catch {
    return Infinity;
  }
}
