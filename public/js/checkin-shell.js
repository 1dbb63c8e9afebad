// The offline check-in page. Its values come from the last visit; a check-in is queued until it can
// be sent.
import { onReconnect } from "./base/reconnect.js";
import { day, localDay, time, weekday } from "./base/format.js";
import { loadValue, currentUser } from "./base/current-user.js";
import { flush } from "./base/sync.js";
import { KIND, queueCheckIn, showQueuedCheckIns, isQueued } from "./offline-check-ins.js";
import { queueEnd, showQueuedTimer } from "./check-in/offline-timer.js";

export function start(section) {
  const button = section.querySelector("[data-tap]");
  const place = section.querySelector("[data-waiting-taps]");
  const card = section.querySelector("[data-shell-timer]");
  const timerNote = card.querySelector("[data-timer-waiting]");
  let zone;
  let repeats;
  let timer;

  const show = async (urgent) => {
    try {
      const person = await currentUser();
      const known = person && (await loadValue(person, KIND));
      zone = known?.zone;
      repeats = known?.repeats;
      timer = known?.timer;
      section.dataset.state = await currentState(known);
      greet(section, known);
    } catch {
      section.dataset.state = "not-kept";
    }
    const { state } = section.dataset;
    button.disabled = state === "missing" || state === "done" || state === "not-kept";
    for (const words of section.querySelectorAll("[data-for]")) {
      words.hidden = !words.dataset.for.split(" ").includes(state);
    }
    card.hidden = !timer;
    card.querySelector("[data-timer-words]").textContent = timer?.words ?? "";
    await showQueuedTimer(timerNote);
    await showQueuedCheckIns(place, urgent);
  };

  card.querySelector("button").addEventListener("click", async () => {
    try {
      await queueEnd(timer.id);
      await show();
      flush("taps");
    } catch {
      await showQueuedTimer(timerNote, "notKept");
    }
  });

  let keeping = false;
  button.addEventListener("click", async () => {
    if (keeping) return;
    keeping = true;
    try {
      const isNew = await queueCheckIn(Date.now(), zone, repeats);
      await show(isNew ? undefined : "again");
      if (isNew) flush("taps");
    } catch {
      await show("notKept");
    } finally {
      keeping = false;
    }
  });

  show();
  document.addEventListener("pairspot:outbox", () => show());
  // A page that stays open over midnight shows another day.
  document.addEventListener("visibilitychange", () => show());
  onReconnect(async () => {
    await flush("taps");
    // Reloading the offline page's own address would only show it again.
    if (location.pathname === "/checkin") location.reload();
    else location.replace("/checkin");
  });
}

/** The state: missing (check-ins are not set up), done, waiting or ready. */
async function currentState(known) {
  if (!known || known.state === "missing") return "missing";
  const today = localDay(Date.now(), known.zone);
  if (await isQueued(today)) return "waiting";
  return known.state === "done" && known.day === today && !known.repeats ? "done" : "ready";
}

/** Shows the greeting and the date as the server's page does. */
function greet(section, known) {
  const title = section.querySelector("[data-greeting]");
  const lead = section.querySelector("[data-date]");
  const now = Date.now();
  const greeting = section.dataset.state === "done" ? "done" : greetingAt(time(now, known?.zone));
  if (known?.name) title.textContent = title.dataset[greeting].replace("#", () => known.name);
  const parts = { weekday: weekday(now, known?.zone), day: day(now, known?.zone) };
  lead.textContent = lead.dataset.date.replace(/\{(\w+)\}/g, (_, name) => parts[name]);
}

function greetingAt(clock) {
  const hour = Number(clock.slice(0, 2));
  if (hour < 5) return "night";
  if (hour < 12) return "morning";
  return hour < 18 ? "afternoon" : "evening";
}
