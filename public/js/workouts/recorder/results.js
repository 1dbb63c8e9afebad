// The end of a recording: a form for what no device measured, and the summary.
import { clock } from "../../base/format.js";
import { formatNumber as shown, phrase, parseNumber } from "./recorder-words.js";

// The server's limits (docs/developer/workouts.md#checks); distance in km, as it is typed.
const BOUNDS = { distance: [0, 1_000], energy: [0, 20_000], avg_hr: [20, 250] };

/** Values that no device measured and the user may know; none if the work itself was measured. */
export function unmeasured(ride) {
  const names = ["distance", "energy"].filter((name) => ride[name] <= 0);
  return names.length && ride.most.heart_rate === undefined ? [...names, "avg_hr"] : names;
}

/** Asks for `names`; resolves to the typed values once the form is valid. */
export function askForValues(form, ride, names) {
  const kinds = form.querySelector("[data-kinds]");
  // Asked only if no machine has said what it is.
  kinds.hidden = ride.device_type !== "other";
  for (const name of Object.keys(BOUNDS))
    form[name].closest(".field").hidden = !names.includes(name);
  return new Promise((resolve) => {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const found = readForm(form, names);
      if (!found) return;
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
    const note = form.querySelector(`#typed_${name}_note`);
    note.hidden = !isWrong;
    note.querySelector("[data-problem]").textContent = phrase(
      "typedWrong",
      shown(least),
      shown(most),
    );
    field.toggleAttribute("aria-invalid", isWrong);
    if (isWrong) {
      field.setAttribute("aria-invalid", "true");
      field.setAttribute("aria-describedby", note.id);
      wrong ??= field;
    } else if (value !== undefined) {
      found[name] = name === "distance" ? Math.round(value * 1000) : value;
    }
  }
  wrong?.focus();
  return wrong ? null : found;
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
    ["speed", detail.avg_speed, detail.max_speed, 1, phrase("kmh")],
  ].filter(([, average]) => average !== null);
  const rows = [
    ["time", clock(session.duration), ""],
    ["distance", shown(session.total_distance / 1000, 2), ""],
    ["energy", shown(session.total_energy), ""],
    ...measured.map(([name, average, most, digits, unit]) => [
      name,
      `${shown(average, digits)} ${unit}`.trim(),
      most === null ? "" : phrase("most", shown(most, digits)),
    ]),
  ];
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
