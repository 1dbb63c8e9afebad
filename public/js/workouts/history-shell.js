// The history without the server: what is kept in this browser, the newest first.
import { whenBack } from "../base/reconnect.js";
import { number } from "../base/format.js";
import { recall, user } from "../base/current-user.js";
import { text } from "../base/texts.js";
import { isWhole } from "./history.js";
import { inState, SYNCED } from "./workout-store.js";
import { rowOf } from "./workout-row.js";
import { statistics, statisticsOf } from "./statistics.js";
import { distance, energy, shown, time } from "./words.js";

const STEP = 50;

export function start(section) {
  const list = section.querySelector("[data-kept-list]");
  const more = section.querySelector("[data-more]");
  let shown = STEP;

  const show = async () => {
    try {
      const person = await user();
      if (!person) {
        state(section, "nobody");
        return;
      }
      const rows = (await inState(person, SYNCED)).reverse();
      const known = (await recall(person, "trainings"))?.trainings ?? [];
      list.replaceChildren(...rows.slice(0, shown).map((row) => rowOf(row, known)));
      more.hidden = rows.length <= shown;
      tellSums(section, (await statistics(person)) ?? statisticsOf(rows));
      state(section, (await isWhole(person)) ? (rows.length ? "ready" : "empty") : "part");
    } catch {
      state(section, "not-kept");
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
  whenBack(() => {
    // By its own address this page would only come back.
    if (location.pathname === "/workouts") location.reload();
    else location.replace("/workouts");
  });
}

function state(section, name) {
  section.dataset.state = name;
  for (const words of section.querySelectorAll("[data-when-state]")) {
    words.hidden = !words.dataset.whenState.split(" ").includes(name);
  }
}

function tellSums(section, figures) {
  const put = (name, ...quantities) => {
    section.querySelector(`[data-sum=${name}]`).replaceChildren(...shown(...quantities));
  };
  const count = figures.workout_total_count;
  section.querySelector("[data-sum-name]").textContent = text(count === 1 ? "countOne" : "count");
  put("count", [number(count)]);
  put("time", ...time(figures.workout_total_duration));
  put("distance", distance(figures.workout_total_distance));
  put("energy", energy(figures.workout_total_energy));
  const streak = section.querySelector("[data-sum=streak]");
  streak.hidden = !figures.workout_streak;
  const words = text(figures.workout_streak === 1 ? "streakOne" : "streak");
  streak.textContent = words.replace("#", number(figures.workout_streak));
}
