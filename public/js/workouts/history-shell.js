// The offline history: the workouts in this browser, newest first.
import { onReconnect } from "../base/reconnect.js";
import { number } from "../base/format.js";
import { loadValue, currentUser } from "../base/current-user.js";
import { text } from "../base/texts.js";
import { isComplete } from "./history.js";
import { workoutsInState, SYNCED } from "./workout-store.js";
import { workoutRow } from "./workout-row.js";
import { savedStatistics, computeStatistics } from "./statistics.js";
import { distance, energy, figureElements, duration } from "./words.js";

const STEP = 50;

export function start(section) {
  const list = section.querySelector("[data-kept-list]");
  const more = section.querySelector("[data-more]");
  let shown = STEP;

  const show = async () => {
    try {
      const person = await currentUser();
      if (!person) {
        setState(section, "nobody");
        return;
      }
      const rows = (await workoutsInState(person, SYNCED)).reverse();
      const known = (await loadValue(person, "trainings"))?.trainings ?? [];
      list.replaceChildren(...rows.slice(0, shown).map((row) => workoutRow(row, known)));
      more.hidden = rows.length <= shown;
      showTotals(section, (await savedStatistics(person)) ?? computeStatistics(rows));
      setState(section, (await isComplete(person)) ? (rows.length ? "ready" : "empty") : "part");
    } catch {
      setState(section, "not-kept");
    }
  };

  more.addEventListener("click", () => {
    shown += STEP;
    show();
  });
  show();
  document.addEventListener("pairspot:outbox", ({ detail }) => {
    if (detail.change !== "progress") show();
  });
  onReconnect(() => {
    // Reloading the offline page's own address would only show it again.
    if (location.pathname === "/workouts") location.reload();
    else location.replace("/workouts");
  });
}

function setState(section, name) {
  section.dataset.state = name;
  for (const words of section.querySelectorAll("[data-when-state]")) {
    words.hidden = !words.dataset.whenState.split(" ").includes(name);
  }
}

function showTotals(section, figures) {
  const put = (name, ...quantities) => {
    section.querySelector(`[data-sum=${name}]`).replaceChildren(...figureElements(...quantities));
  };
  const count = figures.workout_total_count;
  section.querySelector("[data-sum-name]").textContent = text(count === 1 ? "countOne" : "count");
  put("count", [number(count)]);
  put("time", ...duration(figures.workout_total_duration));
  put("distance", distance(figures.workout_total_distance));
  put("energy", energy(figures.workout_total_energy));
  // Zero is unknown.
  for (const name of ["distance", "energy"]) {
    section.querySelector(`[data-sum=${name}]`).parentElement.hidden =
      !figures[`workout_total_${name}`];
  }
  const streak = section.querySelector("[data-sum=streak]");
  streak.hidden = !figures.workout_streak;
  const words = text(figures.workout_streak === 1 ? "streakOne" : "streak");
  streak.textContent = words.replace("#", number(figures.workout_streak));
}
