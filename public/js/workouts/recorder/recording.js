// A workout during its recording: a plain object that can be stored, and its rules. Knows nothing
// about Bluetooth, pages or clocks: every call gets the time (ms since 1970), so that a tab that
// slept counts correctly.
import { Counter } from "./counter.js";
import { isPaused, movingTime } from "./riding-time.js";

// The time for which a reading counts after it, in ms: some machines send every other second.
// A longer silence is a gap.
const HOLD = 3_000;
// A counter that is silent for this time, in ms, counts as gone; distance and energy are then
// estimated.
const SILENCE = 10_000;
const SERIES = ["power", "heart_rate", "cadence", "speed", "distance"];
// The server's limits; values beyond them count as not measured
// (docs/developer/workouts.md#checks).
const BOUNDS = { power: 3_000, heart_rate: 250, cadence: 1_000, speed: 1_000 };
const LEAST_HEART_RATE = 20;

/** Starts a ride at a moment; `training` is one of the API's, or undefined for a free ride. */
export function startRide(id, now, { training, machine } = {}) {
  return {
    id,
    started_at: now,
    // When the moving time was last added up; null while paused.
    running_since: now,
    // The last moment that is part of the ride.
    last_at: now,
    // Moving time before `running_since`, in ms.
    moved: 0,
    device_type: machine ?? "other",
    training: training ? trainingSnapshot(training) : null,
    samples: Object.fromEntries(SERIES.map((name) => [name, []])),
    most: {},
    // m and kcal
    distance: 0,
    energy: 0,
    counters: {},
    reading_at: null,
  };
}

function trainingSnapshot({ id, name, stages, video_url }) {
  return { id, name, stages: stages ?? [], video_url: video_url ?? null };
}

/** The index of the sample of a moment: each stands for the second at whose end it is complete. */
const sampleIndex = (ride, now) => Math.max(Math.ceil(movingTime(ride, now) / 1000) - 1, 0);

/** Adds a reading of a device (names as in ftms.js). While paused, only the counters follow. */
export function addReading(ride, now, values) {
  if (isPaused(ride)) {
    for (const name of Object.keys(ride.counters)) counter(ride, name).skip(values[name], now);
    return;
  }
  tick(ride, now);
  const measured = measurements(values);
  const before = ride.reading_at;
  // A clock that was set back takes nothing away.
  addTotals(ride, now, values, before === null ? 0 : Math.min(Math.max(now - before, 0), HOLD));
  ride.reading_at = now;
  const at = sampleIndex(ride, now);
  measured.distance = hasDistance(ride) ? roundToTenth(ride.distance) : null;
  for (const [name, value] of Object.entries(measured)) {
    // A second without a value is null, or the value before would be held.
    ride.samples[name][at] = value ?? ride.samples[name][at] ?? null;
    if (value !== null) ride.most[name] = Math.max(ride.most[name] ?? 0, value);
  }
}

/** Whether distance was measured so far; if not, its samples stay empty. */
const hasDistance = (ride) => ride.distance > 0 || "distance" in ride.counters;

/** The valid values of a reading; null for what was not measured. */
export function measurements(values) {
  const speed = values.speed ?? (values.pace ? 1800 / values.pace : undefined);
  return {
    power: bounded("power", values.power),
    heart_rate:
      values.heartRate >= LEAST_HEART_RATE ? bounded("heart_rate", values.heartRate) : null,
    cadence: bounded("cadence", values.cadence),
    speed: bounded("speed", speed === undefined ? undefined : Math.round(speed * 100) / 100),
  };
}

function bounded(name, value) {
  if (value === undefined || value === null || Number.isNaN(value)) return null;
  // Some bikes report a few negative watts when pedalling backwards.
  const least = Math.max(value, 0);
  return least > BOUNDS[name] ? null : least;
}

/**
 * Adds distance and energy: from the machine's counters, else from speed and power over `span` ms.
 */
function addTotals(ride, now, values, span) {
  const { speed, power } = measurements(values);
  const hours = span / 3_600_000;
  add("distance", speed === null ? 0 : speed * 1000 * hours);
  // About a quarter of the energy burnt becomes work: a kJ of work is about a kcal burnt.
  add("energy", power === null ? 0 : (power * span) / 1_000_000);

  function add(name, estimate) {
    const known = ride.counters[name];
    if (values[name] !== undefined) {
      ride[name] += counter(ride, name).take(values[name], now);
    } else if (!known || now - known.at > SILENCE) {
      ride[name] += estimate;
      // The estimate must not be counted again when the counter is back.
      if (known && estimate > 0) known.last = null;
    }
  }
}

function counter(ride, name) {
  ride.counters[name] ??= Counter.blank();
  return new Counter(name, ride.counters[name]);
}

/**
 * Advances to a moment: every second gets a sample in each series, null if nothing was measured.
 */
export function tick(ride, now) {
  if (isPaused(ride)) return;
  ride.last_at = Math.max(ride.last_at, now);
  const end = sampleIndex(ride, now);
  for (const name of SERIES) {
    const series = ride.samples[name];
    const held = series.at(-1) ?? null;
    const from = series.length;
    for (let at = from; at < end; at += 1) {
      // The last value stands in for a machine that sends slowly.
      series.push(isHeld(ride, now, end - at) ? held : null);
    }
  }
}

/** Whether the last reading still counts for the second that lies `before` seconds back. */
function isHeld(ride, now, before) {
  if (ride.reading_at === null) return false;
  return now - before * 1000 - ride.reading_at < HOLD - 1000;
}

export function pause(ride, now) {
  if (isPaused(ride)) return;
  tick(ride, now);
  ride.moved = movingTime(ride, now);
  ride.running_since = null;
  ride.reading_at = null;
}

export function resume(ride, now) {
  if (!isPaused(ride)) return;
  ride.running_since = Math.max(now, ride.last_at);
  ride.last_at = ride.running_since;
}

/**
 * Recovers a ride after the page was closed: the time between is a pause, and counters may have
 * restarted.
 */
export function recoverRide(ride) {
  pause(ride, ride.last_at);
  for (const name of Object.keys(ride.counters)) ride.counters[name] = Counter.blank();
}

/** Averages and maxima of what was measured. */
function averages(ride) {
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
  return roundToTenth(measured.reduce((sum, value) => sum + value, 0) / measured.length);
}

const roundToTenth = (value) => Math.round(value * 10) / 10;

/**
 * The workout for the API (docs/api/workouts.md), ended at its last moment or where its pause
 * began. `typed` replaces values: distance (m), energy (kcal), heart rate and device. Null for less
 * than a second, which the server would refuse.
 */
export function toSession(ride, typed = {}) {
  const duration = movingTime(ride, ride.last_at) / 1000;
  if (duration < 1) return null;
  const detail = averages(ride);
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
    total_energy: typed.energy ?? roundToTenth(ride.energy),
    total_distance: typed.distance ?? roundToTenth(ride.distance),
    device_type: typed.device ?? ride.device_type,
    ...(ride.training ? { training_id: ride.training.id } : {}),
    detail,
  };
}
