// One workout out of this browser: without the server, or before the server has it.
import { whenBack } from "../base/back.js";
import { recall, user } from "../base/memory.js";
import { text } from "../base/texts.js";
import { drawing } from "./drawing.js";
import { FAILED, find, KIND, sessionOf, SYNCED } from "./rides.js";
import { act } from "./rows.js";
import { clock, moment, number, title } from "./words.js";

const SERIES = [
  ["power", "avg_power", "max_power", "W"],
  ["heart_rate", "avg_hr", "max_hr", "bpm"],
  ["cadence", "avg_cadence", "max_cadence", "rpm"],
  ["speed", "avg_speed", "max_speed", "km/h"],
];

export function start(section) {
  const id = new URLSearchParams(location.search).get("id") ?? location.pathname.split("/").at(-1);
  let row;

  const show = async () => {
    try {
      const person = await user();
      row = person && (await find(person, id));
      section.dataset.state = row ? row.state : "missing";
      if (row) await fill(section, row, person);
    } catch {
      section.dataset.state = "not-kept";
    }
    for (const part of section.querySelectorAll("[data-when-state]")) {
      part.hidden = !part.dataset.whenState.split(" ").includes(section.dataset.state);
    }
  };

  section.addEventListener("click", async ({ target }) => {
    const button = target.closest("button[data-part]");
    if (!button || !row) return;
    await act(button, row);
  });
  document.addEventListener("pairspot:outbox", async ({ detail }) => {
    if (detail.kind !== KIND || detail.change === "progress") return;
    const wasWaiting = row && row.state !== SYNCED;
    await show();
    if (wasWaiting && section.dataset.state === "missing") location.replace("/workouts");
  });
  show();
  // The page under its own name is the server's; this one goes when the server is back.
  if (!location.pathname.startsWith("/workouts/kept")) whenBack(() => location.reload());
}

async function fill(section, row, person) {
  const session = await sessionOf(person, row.id);
  const trainings = (await recall(person, "trainings"))?.trainings ?? [];
  const put = (name, words) => {
    section.querySelector(`[data-part=${name}]`).textContent = words;
  };
  put("name", title(session, trainings));
  put("when", moment(row.at));
  put("reason", row.state === FAILED ? row.reason || text("refusedUnknown") : "");
  section.querySelector("[data-figures]").replaceChildren(...figures(session));
  const charts = SERIES.map((series) => chart(session, ...series)).filter(Boolean);
  section.querySelector("[data-charts]").replaceChildren(...charts);
  section.querySelector("[data-no-charts]").hidden = charts.length > 0 || row.state !== SYNCED;
}

function figures(session) {
  const all = [[text("time"), clock(session.duration)]];
  if (session.total_distance) {
    all.push([text("distance"), `${number(session.total_distance / 1000, 2)} km`]);
  }
  if (session.total_energy) all.push([text("energy"), `${number(session.total_energy)} kcal`]);
  for (const [name, average, , unit] of SERIES) {
    const value = session.detail?.[average];
    if (value) all.push([`${text(nameOf(name))} ⌀`, `${number(value, 1)} ${unit}`]);
  }
  if (session.paused) all.push([text("paused"), clock(session.paused)]);
  return all.map(([label, value]) => {
    const group = document.createElement("div");
    group.append(made("dt", label), made("dd", value, "figure"));
    return group;
  });
}

/** One chart, as the server's page has them. */
function chart(session, name, average, maximum, unit) {
  const label = text(nameOf(name));
  const [mean, most] = [session.detail?.[average], session.detail?.[maximum]];
  const parts = [];
  if (mean) parts.push(`${number(mean, 1)} ${unit}`);
  if (most) parts.push(text("atMost").replace("#", number(most, 1)));
  const words = parts.join(" · ");
  const line = drawing(session.detail?.samples?.[name], [label, words].filter(Boolean).join(": "));
  if (!line) return null;
  const card = made("section", "", `card chart chart-${name === "heart_rate" ? "heart" : name}`);
  const head = made("div", "", "chart-head");
  head.append(made("h2", label), made("p", words));
  const plot = made("div", "", "chart-plot chart-kept");
  plot.append(line);
  card.append(head, plot);
  return card;
}

function made(name, words, classes) {
  const element = document.createElement(name);
  element.textContent = words;
  if (classes) element.className = classes;
  return element;
}

function nameOf(series) {
  return series === "heart_rate" ? "heartRate" : series;
}
