// Workouts in words and numbers, as the reader's language has them.
import { text } from "../base/texts.js";

const language = () => document.documentElement.lang;

/** A number with at most so many decimals. */
export function number(value, decimals = 0) {
  return new Intl.NumberFormat(language(), { maximumFractionDigits: decimals }).format(value);
}

/** "45:12", or "1:02:10" from an hour on; seconds in. */
export function clock(seconds) {
  const all = Math.max(0, Math.floor(seconds));
  const two = (part) => `${part}`.padStart(2, "0");
  const minutes = Math.floor(all / 60);
  if (minutes < 60) return `${minutes}:${two(all % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(all % 60)}`;
}

/** A moment (ms) as a day and a time. */
export function moment(at) {
  const parts = {
    weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit",
    hourCycle: "h23",
  };
  const sameYear = new Date(at).getFullYear() === new Date().getFullYear();
  if (!sameYear) parts.year = "numeric";
  return new Intl.DateTimeFormat(language(), parts).format(at);
}

/** What a workout is called: its training, else its machine. */
export function title(session, trainings = []) {
  const training = trainings.find(({ id }) => id === session.training_id);
  if (training) return training.name;
  return text({ bike: "bike", rower: "rower" }[session.device_type] ?? "workout");
}

/** The figure that says most of it, beside its time. */
export function figure(session) {
  const power = session.detail?.avg_power;
  if (power) return `${number(power)} W`;
  if (session.total_distance) return `${number(session.total_distance / 1000, 1)} km`;
  return session.total_energy ? `${number(session.total_energy)} kcal` : "";
}
