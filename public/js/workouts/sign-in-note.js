// On the page to sign in: whoever comes here because their session ended, with workouts that wait on
// this device, reads that nothing is lost.
import { lastUser, pageUser } from "../base/current-user.js";
import { pendingCount } from "./workout-store.js";

export async function start(note) {
  try {
    const last = pageUser() ? undefined : await lastUser();
    note.hidden = !last || !(await pendingCount(last));
  } catch {
    // A browser that keeps nothing has nothing that waits.
  }
}
