// One workout from this browser: without the server, or before the server has it.
import { onReconnect } from "../base/reconnect.js";
import { clock, number } from "../base/format.js";
import { loadValue, currentUser } from "../base/current-user.js";
import { formatText, text } from "../base/texts.js";
import { lineChart } from "./line-chart.js";
import { FAILED, findWorkout, KIND, loadSession, SYNCED } from "./workout-store.js";
import { performAction } from "./workout-row.js";
import {
  distance,
  shown,
  energy,
  longMoment,
  element,
  measure,
  SERIES,
  figureElements,
  rowingPace,
  title,
  unitOf,
} from "./words.js";

export function start(section) {
  const id = new URLSearchParams(location.search).get("id") ?? location.pathname.split("/").at(-1);
  let row;

  const show = async () => {
    try {
      const person = await currentUser();
      row = person && (await findWorkout(person, id));
      section.dataset.state = row ? row.state : "missing";
      if (row) await fillPage(section, row, person);
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
    await performAction(button, row);
  });
  document.addEventListener("pairspot:outbox", async ({ detail }) => {
    if (detail.kind !== KIND || detail.change === "progress") return;
    const wasWaiting = row && row.state !== SYNCED;
    await show();
    if (wasWaiting && section.dataset.state === "missing") location.replace("/workouts");
  });
  show();
  // The server's page has the same address: it replaces this one when the server is back.
  if (!location.pathname.startsWith("/workouts/kept")) onReconnect(() => location.reload());
}

async function fillPage(section, row, person) {
  const session = await loadSession(person, row.id);
  const trainings = (await loadValue(person, "trainings"))?.trainings ?? [];
  const put = (name, words) => {
    document.querySelector(`[data-part=${name}]`).textContent = words;
  };
  put("name", title(session, trainings));
  put("when", longMoment(row.at, session));
  put("reason", row.state === FAILED ? row.reason || text("refusedUnknown") : "");
  const charts = SERIES.map((series) => [series, chartCard(session, series)]).filter(
    ([, is]) => is,
  );
  const charted = new Set(charts.map(([series]) => series));
  section.querySelector("[data-figures]").replaceChildren(...figures(session, charted));
  section.querySelector("[data-charts]").replaceChildren(...charts.map(([, card]) => card));
  section.querySelector("[data-no-charts]").hidden = charts.length > 0 || row.state !== SYNCED;
}

/** The figures above the charts, and those without a chart. */
function figures(session, charted) {
  const { device_type: machine, total_distance: metres, total_energy: spent, paused } = session;
  const all = [[text("time"), [clock(session.duration)]]];
  if (metres > 0) all.push([text("distance"), distance(metres)]);
  const pace = rowingPace(session);
  if (pace.length) all.push([text("pace"), pace]);
  if (spent > 0) all.push([text("energy"), energy(spent)]);
  for (const series of SERIES) {
    const mean = averageOf(session, series);
    if (mean === undefined || (charted.has(series) && series.name !== "speed")) continue;
    const label = formatText("average", text(series.label).toLowerCase());
    all.push([label, measure(mean, series, machine)]);
  }
  if (paused > 0) all.push([text("paused"), [clock(paused)]]);
  return all.map(([label, quantity]) => {
    const group = document.createElement("div");
    const value = document.createElement("dd");
    value.append(...figureElements(quantity));
    group.append(element("dt", label), value);
    return group;
  });
}

/** One chart, as on the server's page. */
function chartCard(session, series) {
  const { name, label, decimals } = series;
  const [mean, most] = [averageOf(session, series), maximumOf(session, series)];
  if (mean === undefined || most === undefined) return null;
  const unit = unitOf(series, session.device_type);
  const figure = number(shown(mean, series), decimals);
  const rest = formatText("averageAndMaximum", unit, number(shown(most, series), decimals));
  const line = lineChart(session.detail.samples?.[name], `${text(label)}: ${figure} ${rest}`);
  if (!line) return null;
  const card = element("section", "", `card chart chart-${name === "heart_rate" ? "heart" : name}`);
  const head = element("div", "", "chart-head");
  const words = document.createElement("p");
  words.append(element("b", figure, "figure"), ` ${rest}`);
  head.append(element("h2", text(label)), words);
  const plot = element("div", "", "chart-plot chart-kept");
  plot.append(line);
  card.append(head, plot);
  return card;
}

// Computed from the samples where the machine reported nothing.

function averageOf({ detail }, { name, average }) {
  if (typeof detail?.[average] === "number") return detail[average];
  const known = measured(detail, name);
  return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : undefined;
}

function maximumOf({ detail }, { name, maximum }) {
  if (typeof detail?.[maximum] === "number") return detail[maximum];
  const known = measured(detail, name);
  return known.length ? known.reduce((most, value) => Math.max(most, value)) : undefined;
}

function measured(detail, name) {
  return (detail?.samples?.[name] ?? []).filter((value) => typeof value === "number");
}
