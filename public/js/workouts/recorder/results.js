// The end of a recording: a form for what no device measured, and the summary.
import { clock } from "../../base/format.js";
import { inMiles, longUnits, metresALongUnit, speed } from "../units.js";
import { isTooFast, movingTime } from "./riding-time.js";
import { formatNumber as shown, phrase, parseNumber } from "./recorder-words.js";

// The server's limits (docs/developer/workouts.md#checks); distance in km or miles, as it is
// typed.
const BOUNDS = {
  distance: [0, Math.floor(longUnits(1_000_000))],
  energy: [0, 20_000],
  avg_hr: [20, 250],
};

/** Values that no device measured and the user may know; none if the work itself was measured. */
export function unmeasured(ride) {
  const names = ["distance", "energy"].filter((name) => ride[name] <= 0);
  return names.length && ride.most.heart_rate === undefined ? [...names, "avg_hr"] : names;
}

/**
 * Asks for `names`; resolves to the typed values once the form is valid. An implausible distance is
 * asked about once.
 */
export function askForValues(form, ride, names) {
  const kinds = form.querySelector("[data-kinds]");
  // Asked only if no machine has said what it is.
  kinds.hidden = ride.device_type !== "other";
  if (inMiles) {
    form.querySelector("label[for=typed_distance]").textContent = phrase("typedDistance");
  }
  for (const name of Object.keys(BOUNDS))
    form[name].closest(".field").hidden = !names.includes(name);
  let isAsked = false;
  return new Promise((resolve) => {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const found = readForm(form, names);
      if (!found) return;
      if (!isAsked && isTooFast(found.distance ?? 0, movingTime(ride, ride.last_at))) {
        isAsked = true;
        showProblem(form.distance, phrase("tooFast"));
        form.distance.focus();
        return;
      }
      if (!kinds.hidden) found.device = form.device.value;
      resolve(found);
    });
  });
}

function readForm(form, names) {
  const found = {};
  let wrong;
  for (const name of names) {
    const field = form[name];
    const value = parseNumber(field.value);
    const [least, most] = BOUNDS[name];
    const isWrong = value !== undefined && !(value >= least && value <= most);
    showProblem(field, isWrong ? phrase("typedWrong", shown(least), shown(most)) : "");
    if (isWrong) {
      wrong ??= field;
    } else if (value !== undefined) {
      found[name] = name === "distance" ? Math.round(value * metresALongUnit) : value;
    }
  }
  wrong?.focus();
  return wrong ? null : found;
}

/** Shows what is wrong with a field; without words that nothing is. */
function showProblem(field, words) {
  const note = document.getElementById(`${field.id}_note`);
  note.hidden = !words;
  note.querySelector("[data-problem]").textContent = words;
  if (!words) {
    field.removeAttribute("aria-invalid");
    return;
  }
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", note.id);
}

/** Shows the summary of a workout. */
export function showSummary(place, session) {
  const { detail } = session;
  const template = place.closest("[data-recorder]").querySelector("[data-sum]");
  const measured = [
    ["power", detail.avg_power, detail.max_power, 0, phrase("watts")],
    ["heart", detail.avg_hr, detail.max_hr, 0, ""],
    [
      session.device_type === "rower" ? "strokes" : "cadence",
      detail.avg_cadence,
      detail.max_cadence,
      0,
      "",
    ],
    ["speed", speed(detail.avg_speed), speed(detail.max_speed), 1, phrase("kmh")],
  ].filter(([, average]) => average !== null);
  const rows = [
    ["time", clock(session.duration), ""],
    session.total_distance && ["distance", shown(longUnits(session.total_distance), 2), ""],
    session.total_energy && ["energy", shown(session.total_energy), ""],
    ...measured.map(([name, average, most, digits, unit]) => [
      name,
      `${shown(average, digits)} ${unit}`.trim(),
      most === null ? "" : phrase("most", shown(most, digits)),
    ]),
  ].filter(Boolean);
  place.querySelector("[data-sums]").replaceChildren(
    ...rows.map(([name, value, more]) => {
      const row = template.content.firstElementChild.cloneNode(true);
      row.querySelector("dt").textContent = phrase(name);
      row.querySelector("b").textContent = value;
      row.querySelector("dd span").textContent = more;
      return row;
    }),
  );
}
