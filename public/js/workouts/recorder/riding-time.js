// The times of a ride (see recording.js).

/** The longest workout that the server takes, in s. */
export const MAX_SECONDS = 86_400;
// An older ride, in ms, can be saved but not continued, since the server takes no longer workouts:
// a week, less a day.
const MAX_RESUMABLE_AGE = 6 * 86_400_000;

export const isPaused = (ride) => ride.running_since === null;

/** Whether a ride that was left can go on: not after it was ended. */
export const isResumable = (ride, now) => !ride.ended && now - ride.started_at <= MAX_RESUMABLE_AGE;

/** The moving time at a moment, in ms; at most a day, and never decreasing. */
export function movingTime(ride, now) {
  const running = isPaused(ride) ? 0 : Math.max(now, ride.last_at) - ride.running_since;
  return Math.min(ride.moved + Math.max(running, 0), MAX_SECONDS * 1000);
}

export const movingSeconds = (ride, now) => Math.floor(movingTime(ride, now) / 1000);

// In km/h; a faster one was probably mistyped.
const MAX_SPEED = 100;

/** Whether a distance, in m, is implausible for a moving time, in ms. */
export const isTooFast = (metres, time) => metres / 1000 > (MAX_SPEED * time) / 3_600_000;
