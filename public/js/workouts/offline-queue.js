// Senders of queued workouts and unbindings. This module is loaded by every page, so it is small
// and imports the work only when something waits.
import { currentUser } from "../base/current-user.js";
import { transact } from "../base/database.js";

async function count(states) {
  const person = await currentUser();
  if (!person) return 0;
  const found = [];
  await transact("readonly", (all) => {
    const index = all.objectStore("workouts").index("state");
    found.push(...states.map((state) => index.count([person, state])));
    // A ride that is not finished would be lost too.
    if (states.length > 1) {
      found.push(all.objectStore("rides").count(IDBKeyRange.bound([person], [person, []])));
    }
  });
  return found.reduce((sum, { result }) => sum + result, 0);
}

const workoutSender = {
  kind: "workouts",
  count: () => count(["pending", "failed"]),
  hasWork: async () => (await count(["pending"])) > 0,
  async send() {
    const { uploadPending } = await import("./uploads.js");
    return (await uploadPending(await currentUser()))?.stop;
  },
};

const unbindSender = {
  async hasWork() {
    const row = await transact("readonly", (all) => all.objectStore("told").get(["", "unbind"]));
    return Boolean(row?.value.length);
  },
  async send() {
    const { reportUnbound } = await import("./binding.js");
    return reportUnbound();
  },
};

export const senders = [workoutSender, unbindSender];
