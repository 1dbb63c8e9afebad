// The check-in page without the server: what it knows comes from the last visit, and a tap is kept
// on this phone until it can be sent.
import { whenBack } from "./base/back.js";
import { recall, user } from "./base/memory.js";
import { flush } from "./base/sending.js";
import { KIND, keepTap, localDay, showTaps, waitsFor } from "./taps.js";

export function start(section) {
  const button = section.querySelector("[data-tap]");
  const place = section.querySelector("[data-waiting-taps]");
  let zone;

  const show = async (urgent) => {
    try {
      const person = await user();
      const known = person && (await recall(person, KIND));
      zone = known?.zone;
      greet(section, known);
      section.dataset.state = await stateOf(known);
    } catch {
      section.dataset.state = "not-kept";
    }
    const { state } = section.dataset;
    button.disabled = state === "missing" || state === "done" || state === "not-kept";
    for (const words of section.querySelectorAll("[data-for]")) {
      words.hidden = !words.dataset.for.split(" ").includes(state);
    }
    await showTaps(place, urgent);
  };

  let keeping = false;
  button.addEventListener("click", async () => {
    if (keeping) return;
    keeping = true;
    try {
      const isNew = await keepTap(Date.now(), zone);
      await show(isNew ? undefined : "again");
      if (isNew) flush();
    } catch {
      await show("notKept");
    } finally {
      keeping = false;
    }
  });

  show();
  document.addEventListener("pairspot:outbox", () => show());
  // A page that stood open over midnight is about another day.
  document.addEventListener("visibilitychange", () => show());
  whenBack(async () => {
    await flush();
    // By its own address this page would only come back.
    if (location.pathname === "/checkin") location.reload();
    else location.replace("/checkin");
  });
}

/** missing (nothing to check in with), done, waiting or ready. */
async function stateOf(known) {
  if (!known || known.state === "missing") return "missing";
  const today = localDay(Date.now(), known.zone);
  if (await waitsFor(today)) return "waiting";
  return known.state === "done" && known.day === today ? "done" : "ready";
}

function greet(section, known) {
  const title = section.querySelector("[data-greeting]");
  if (known?.name) title.textContent = title.dataset.greeting.replace("#", () => known.name);
  const options = { weekday: "long", day: "numeric", month: "long" };
  if (known?.zone) options.timeZone = known.zone;
  const day = new Intl.DateTimeFormat(document.documentElement.lang, options);
  section.querySelector("[data-day]").textContent = day.format(Date.now());
}
