// One workout while it is recorded: a plain object that the browser's database can keep, and the
// rules by which it grows. Knows nothing of Bluetooth, of pages or of a clock: every call is told
// the time (ms since 1970), so that a tab that slept counts right.
import { Counter } from "./counter.js";

/** The longest workout that the server takes, in s. */
export const LONGEST = 86_400;
// How long the last reading stands for the seconds after it, in ms: some machines send every other
// second. What is longer is a gap, and stays one.
const HOLD = 3_000;
// A counter that was silent for so long, in ms, is taken for gone, and speed stands in for it.
const SILENCE = 10_000;
const SERIES = ["power", "heart_rate", "cadence", "speed", "distance"];
// What the server takes; anything else was not measured (docs/developer/workouts.md#checks).
const BOUNDS = { power: 3_000, heart_rate: 250, cadence: 1_000, speed: 1_000 };
const LEAST_HEART_RATE = 20;

/** Begins a workout at a moment. `training` is one of the API's, or nothing for a free ride. */
export function begin(id, now, { training, machine } = {}) {
  return {
    id,
    started_at: now,
    // When the time in motion was last added up, and nothing while it is paused.
    running_since: now,
    // The last moment that is part of it.
    last_at: now,
    // Time in motion before `running_since`, in ms.
    moved: 0,
    device_type: machine ?? "other",
    training: training ? keptTraining(training) : null,
    samples: Object.fromEntries(SERIES.map((name) => [name, []])),
    most: {},
    // m and kcal
    distance: 0,
    energy: 0,
    counters: {},
    reading_at: null,
  };
}

function keptTraining({ id, name, stages, video_url }) {
  return { id, name, stages: stages ?? [], video_url: video_url ?? null };
}

export const isPaused = (ride) => ride.running_since === null;

/** Time in motion at a moment, in ms; never more than a day, never less than it was. */
export function moved(ride, now) {
  const running = isPaused(ride) ? 0 : Math.max(now, ride.last_at) - ride.running_since;
  return Math.min(ride.moved + Math.max(running, 0), LONGEST * 1000);
}

export const seconds = (ride, now) => Math.floor(moved(ride, now) / 1000);

/** Which sample holds a moment: each stands for the second at whose end it is complete. */
const place = (ride, now) => Math.max(Math.ceil(moved(ride, now) / 1000) - 1, 0);

/**
 * Takes what a machine or a belt says at a moment (names as in ftms.js). Nothing while it is paused,
 * but that counters go on from where they are then.
 */
export function take(ride, now, values) {
  if (isPaused(ride)) {
    for (const name of Object.keys(ride.counters)) counter(ride, name).skip(values[name], now);
    return;
  }
  tick(ride, now);
  const measured = measuredOf(values);
  const before = ride.reading_at;
  // A clock that was set back makes no time that counts against what was ridden.
  count(ride, now, values, before === null ? 0 : Math.min(Math.max(now - before, 0), HOLD));
  ride.reading_at = now;
  const at = place(ride, now);
  measured.distance = hasDistance(ride) ? rounded(ride.distance) : null;
  for (const [name, value] of Object.entries(measured)) {
    // A second without a value says so, or the one before would be held for it.
    ride.samples[name][at] = value ?? ride.samples[name][at] ?? null;
    if (value !== null) ride.most[name] = Math.max(ride.most[name] ?? 0, value);
  }
}

/** Whether anything measured distance so far; without that its samples stay empty. */
const hasDistance = (ride) => ride.distance > 0 || "distance" in ride.counters;

/** What counts of a reading; null for what was not measured. */
export function measuredOf(values) {
  const speed = values.speed ?? (values.pace ? 1800 / values.pace : undefined);
  return {
    power: bounded("power", values.power),
    heart_rate: values.heartRate >= LEAST_HEART_RATE ? bounded("heart_rate", values.heartRate) : null,
    cadence: bounded("cadence", values.cadence),
    speed: bounded("speed", speed === undefined ? undefined : Math.round(speed * 100) / 100),
  };
}

function bounded(name, value) {
  if (value === undefined || value === null || Number.isNaN(value)) return null;
  // Some bikes say a few watts below none when one pedals backwards.
  const least = Math.max(value, 0);
  return least > BOUNDS[name] ? null : least;
}

/** Adds distance and energy, by the machine's counters, else by speed and power over `span` ms. */
function count(ride, now, values, span) {
  const { speed, power } = measuredOf(values);
  const hours = span / 3_600_000;
  add("distance", speed === null ? 0 : speed * 1000 * hours);
  // A body turns about a quarter of what it burns into work: a kJ of work is about a kcal burnt.
  add("energy", power === null ? 0 : (power * span) / 1_000_000);

  function add(name, estimate) {
    const known = ride.counters[name];
    if (values[name] !== undefined) {
      ride[name] += counter(ride, name).take(values[name], now);
    } else if (!known || now - known.at > SILENCE) {
      ride[name] += estimate;
      // What was estimated is not counted once more when the counter comes back.
      if (known && estimate > 0) known.last = null;
    }
  }
}

function counter(ride, name) {
  ride.counters[name] ??= Counter.blank();
  return new Counter(name, ride.counters[name]);
}

/** Lets time pass: every second has a place in each series, empty ones where nothing was measured. */
export function tick(ride, now) {
  if (isPaused(ride)) return;
  ride.last_at = Math.max(ride.last_at, now);
  const end = place(ride, now);
  for (const name of SERIES) {
    const series = ride.samples[name];
    const held = series.at(-1) ?? null;
    const from = series.length;
    for (let at = from; at < end; at += 1) {
      // The last value stands for the short time that a slow machine is silent.
      series.push(isHeld(ride, now, end - at) ? held : null);
    }
  }
}

/** Whether the second so many before `now` is still covered by the last reading. */
function isHeld(ride, now, before) {
  if (ride.reading_at === null) return false;
  return now - before * 1000 - ride.reading_at < HOLD - 1000;
}

export function pause(ride, now) {
  if (isPaused(ride)) return;
  tick(ride, now);
  ride.moved = moved(ride, now);
  ride.running_since = null;
  ride.reading_at = null;
}

export function resume(ride, now) {
  if (!isPaused(ride)) return;
  ride.running_since = Math.max(now, ride.last_at);
  ride.last_at = ride.running_since;
}

/** After the page was gone: what lies between is a pause, and machines may have begun anew. */
export function recover(ride) {
  pause(ride, ride.last_at);
  for (const name of Object.keys(ride.counters)) ride.counters[name] = Counter.blank();
}

/** Averages over what was measured, and the most. */
export function figures(ride) {
  const of = (name) => ({ average: average(ride.samples[name]), most: ride.most[name] ?? null });
  const [power, heart, cadence, speed] = ["power", "heart_rate", "cadence", "speed"].map(of);
  return {
    avg_hr: heart.average,
    max_hr: heart.most,
    avg_power: power.average,
    max_power: power.most,
    avg_cadence: cadence.average,
    max_cadence: cadence.most,
    avg_speed: speed.average,
    max_speed: speed.most,
  };
}

function average(series) {
  const measured = series.filter((value) => value !== null && value !== undefined);
  if (!measured.length) return null;
  return rounded(measured.reduce((sum, value) => sum + value, 0) / measured.length);
}

const rounded = (value) => Math.round(value * 10) / 10;

/**
 * The workout as the API takes it (docs/api/workouts.md), ended at its last moment: in a pause,
 * when that began. `typed` is what a person says instead: distance (m), energy (kcal), heart rate
 * and device. Nothing for one of less than a second, which the server would not take.
 */
export function session(ride, typed = {}) {
  const duration = moved(ride, ride.last_at) / 1000;
  if (duration < 1) return null;
  const detail = figures(ride);
  if (typed.avg_hr !== undefined) detail.avg_hr = typed.avg_hr;
  const samples = { interval: 1 };
  for (const name of SERIES) {
    const series = Array.from(ride.samples[name], (value) => value ?? null);
    if (series.some((value) => value !== null)) samples[name] = series;
  }
  if (Object.keys(samples).length > 1) detail.samples = samples;
  return {
    client_session_id: ride.id,
    started_at: new Date(ride.started_at).toISOString(),
    ended_at: new Date(ride.last_at).toISOString(),
    duration,
    paused: Math.max(ride.last_at - ride.started_at - duration * 1000, 0) / 1000,
    total_energy: typed.energy ?? rounded(ride.energy),
    total_distance: typed.distance ?? rounded(ride.distance),
    device_type: typed.device ?? ride.device_type,
    ...(ride.training ? { training_id: ride.training.id } : {}),
    detail,
  };
}
