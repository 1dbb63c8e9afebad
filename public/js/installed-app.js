// An installed app has cookies of its own (on an iPhone): somebody who is known in the browser is a
// stranger here. Before a new guest is made, it asks whether they have been here before.
const KEY = "standalone-new";

export function start(section) {
  const isInstalled = matchMedia("(display-mode: standalone)").matches || navigator.standalone;
  if (!isInstalled || document.body.dataset.user || chosen()) return;
  const others = [...section.parentElement.children].filter(
    (element) => element !== section && !element.hidden,
  );
  for (const element of others) element.hidden = true;
  section.hidden = false;
  section.querySelector("[data-standalone-new]").addEventListener("click", () => {
    try {
      localStorage.setItem(KEY, "1");
    } catch {
      // It asks again next time.
    }
    section.hidden = true;
    for (const element of others) element.hidden = false;
    document.querySelector("main").focus();
  });
}

function chosen() {
  try {
    return localStorage.getItem(KEY) === "1";
  } catch {
    return false;
  }
}
