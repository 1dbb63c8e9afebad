// The history without the server: what is kept in this browser, the newest first.
import { whenBack } from "../base/back.js";
import { recall, user } from "../base/memory.js";
import { text } from "../base/texts.js";
import { isWhole } from "./history.js";
import { inState, SYNCED } from "./rides.js";
import { rowOf } from "./rows.js";
import { statistics, statisticsOf } from "./statistics.js";
import { clock, number } from "./words.js";

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
  const put = (name, words) => {
    section.querySelector(`[data-sum=${name}]`).textContent = words;
  };
  put("count", number(figures.workout_total_count));
  put("time", clock(figures.workout_total_duration));
  put("distance", `${number(figures.workout_total_distance / 1000)} km`);
  put("energy", `${number(figures.workout_total_energy)} kcal`);
  const streak = section.querySelector("[data-sum=streak]");
  streak.hidden = !figures.workout_streak;
  const words = text(figures.workout_streak === 1 ? "streakOne" : "streak");
  streak.textContent = words.replace("#", number(figures.workout_streak));
}
