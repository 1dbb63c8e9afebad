// An installed app has cookies of its own on iPhones, so a known user is unknown there. Before it
// makes a new guest account, the app asks whether the user has one already.
const KEY = "standalone-new";

export function start(section) {
  const isInstalled = matchMedia("(display-mode: standalone)").matches || navigator.standalone;
  if (!isInstalled || document.body.dataset.user || hasChosen()) return;
  const others = [...section.parentElement.children].filter(
    (element) => element !== section && !element.hidden,
  );
  for (const element of others) element.hidden = true;
  section.hidden = false;
  section.querySelector("[data-standalone-new]").addEventListener("click", () => {
    try {
      localStorage.setItem(KEY, "1");
    } catch {
      // The question comes again next time.
    }
    section.hidden = true;
    for (const element of others) element.hidden = false;
    document.querySelector("main").focus();
  });
}

function hasChosen() {
  try {
    return localStorage.getItem(KEY) === "1";
  } catch {
    return false;
  }
}
