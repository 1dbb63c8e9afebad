// A workout as a CSV file in the format of the server's import (CSVLayout.swift), for workouts that
// the server does not have.
const SERIES = ["power", "heart_rate", "cadence", "speed", "distance"];

/** The text of the file. */
export function toCSV(session) {
  const detail = session.detail ?? {};
  const facts = {
    started_at: session.started_at,
    ended_at: session.ended_at,
    duration_s: session.duration,
    paused_s: session.paused,
    device_type: session.device_type,
    total_energy_kcal: session.total_energy,
    total_distance_m: session.total_distance,
    avg_heart_rate_bpm: detail.avg_hr,
    max_heart_rate_bpm: detail.max_hr,
    avg_power_w: detail.avg_power,
    max_power_w: detail.max_power,
    avg_cadence_rpm: detail.avg_cadence,
    max_cadence_rpm: detail.max_cadence,
    avg_speed_kmh: detail.avg_speed,
    max_speed_kmh: detail.max_speed,
  };
  const lines = Object.entries(facts)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name},${value}`);
  const series = SERIES.map((name) => detail.samples?.[name] ?? []);
  const length = Math.max(0, ...series.map((values) => values.length));
  if (length) lines.push("", "second,power_w,heart_rate_bpm,cadence_rpm,speed_kmh,distance_m");
  for (let second = 0; second < length; second += 1) {
    lines.push([second, ...series.map((values) => values[second] ?? "")].join(","));
  }
  return `${lines.join("\r\n")}\r\n`;
}

/** Downloads the file. */
export function downloadCSV(session) {
  const address = URL.createObjectURL(new Blob([toCSV(session)], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `workout-${session.started_at.slice(0, 16).replace(/[T:]/g, "-")}.csv`;
  link.click();
  // The browser has read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
