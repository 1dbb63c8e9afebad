// Texts about workouts, as on the server's pages (WorkoutFormatter.swift). A quantity is a number
// and its unit.
import { clock, daysAgo, longDay, number, shortDay, time as timeOfDay } from "../base/format.js";
import { formatText, text } from "../base/texts.js";
import { feet, inMiles, longUnits, speed } from "./units.js";

/** Series of measurements, in the order of the workout's page. */
export const SERIES = [
  { name: "power", label: "power", average: "avg_power", maximum: "max_power", decimals: 0 },
  { name: "heart_rate", label: "heartRate", average: "avg_hr", maximum: "max_hr", decimals: 0 },
  {
    name: "cadence",
    label: "cadence",
    average: "avg_cadence",
    maximum: "max_cadence",
    decimals: 0,
  },
  { name: "speed", label: "speed", average: "avg_speed", maximum: "max_speed", decimals: 1 },
];

// Quantities.

/** Metres up to a kilometre, then kilometres, or feet and miles; with a decimal where it matters. */
export function distance(metres) {
  if (inMiles) {
    const miles = longUnits(metres);
    if (miles < 0.1) return [number(feet(metres)), text("unitFt")];
    return [number(miles, miles < 99.95 ? 1 : 0), text("unitMi")];
  }
  if (metres < 999.5) return [number(metres), text("unitM")];
  return [number(metres / 1000, metres < 99_950 ? 1 : 0), text("unitKm")];
}

export function energy(kilocalories) {
  return [number(kilocalories), text("unitKcal")];
}

/** Hours and minutes; less than a minute in seconds. */
export function duration(seconds) {
  const all = Math.floor(seconds);
  if (all < 60) return [[number(all), text("unitS")]];
  const [hours, minutes] = [Math.floor(all / 3600), Math.floor(all / 60) % 60];
  const parts = hours ? [[number(hours), text("unitH")]] : [];
  return minutes || !hours ? [...parts, [number(minutes), text("unitMin")]] : parts;
}

/** A measurement; a rower's cadence is in strokes. */
export function measure(value, series, machine) {
  return [number(shown(value, series), series.decimals), unitOf(series, machine)];
}

/** A measured value in the person's units. */
export const shown = (value, { name }) => (name === "speed" ? speed(value) : value);

export function unitOf({ name }, machine) {
  if (name === "cadence") return text(machine === "rower" ? "unitStrokes" : "unitTurns");
  const pace = inMiles ? "unitSpeedMiles" : "unitSpeed";
  return text({ power: "unitWatts", heart_rate: "unitBeats", speed: pace }[name]);
}

/** Elements that show quantities, as on the server's pages. */
export function figureElements(...quantities) {
  return quantities.flatMap(([value, unit]) => {
    const figure = element("b", value, "figure");
    return unit ? [figure, element("span", ` ${unit} `, "unit")] : [figure];
  });
}

export function element(name, words, classes) {
  const made = document.createElement(name);
  made.textContent = words;
  if (classes) made.className = classes;
  return made;
}

// Workouts.

/** The title of a workout: its training, else the time of the day and its machine. */
export function title(session, trainings = []) {
  const training = trainings.find(({ id }) => id === session.training_id);
  if (training) return training.name;
  const hour = Number(timeOfDay(Date.parse(session.started_at)).slice(0, 2));
  const part =
    hour >= 5 && hour < 12 ? "morning" : hour >= 12 && hour < 18 ? "afternoon" : "evening";
  return text(part + ({ bike: "Ride", rower: "Row" }[session.device_type] ?? ""));
}

function machineText({ device_type: machine }) {
  return text({ bike: "onBike", rower: "onRower" }[machine] ?? "onOther");
}

/** The most important figure: power on a bike, distance on a rower. */
export function mainFigure(session) {
  const { detail, device_type: machine, total_distance: metres, total_energy: spent } = session;
  const [watts] = SERIES;
  const power = detail?.avg_power >= 1 && measure(detail.avg_power, watts, machine);
  const way = metres >= 1 && distance(metres);
  const most = machine === "bike" ? power || way : way || power;
  return (most || (spent >= 1 && energy(spent)) || []).join(" ");
}

/** A rower's pace, ["2:05", "/500 m"]; empty for other machines and below 500 m. */
export function rowingPace({ device_type: machine, total_distance: metres, duration: seconds }) {
  if (machine !== "rower" || !(metres >= 500)) return [];
  return [clock(Math.round((seconds * 500) / metres)), text("unitPace")];
}

/** "Today, 18:10", "Wed 18 Nov, 18:22". */
export function shortMoment(at) {
  const name = ["today", "yesterday"][daysAgo(at)];
  return formatText("moment", name ? text(name) : shortDay(at), timeOfDay(at));
}

/** "Saturday 21 November 2026, 18:10 · indoor bike". */
export function longMoment(at, session) {
  return `${formatText("moment", longDay(at), timeOfDay(at))} · ${machineText(session)}`;
}
