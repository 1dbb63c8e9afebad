// A note on the sign-in page: after an expired session, workouts that wait on this device are not
// lost.
import { lastUser, pageUser } from "../base/current-user.js";
import { pendingCount } from "./workout-store.js";

export async function start(note) {
  try {
    const last = pageUser() ? undefined : await lastUser();
    note.hidden = !last || !(await pendingCount(last));
  } catch {
    // Without storage nothing waits.
  }
}
