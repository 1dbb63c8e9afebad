// Has every page take along what waits: workouts, and the news that a device was let go. Small, for
// it comes with every page; what does the work is fetched when there is some.
import { user } from "../base/current-user.js";
import { transact } from "../base/database.js";

async function count(states) {
  const person = await user();
  if (!person) return 0;
  const found = [];
  await transact("readonly", (all) => {
    const index = all.objectStore("workouts").index("state");
    found.push(...states.map((state) => index.count([person, state])));
    // A ride that was not finished would be lost too.
    if (states.length > 1) {
      found.push(all.objectStore("rides").count(IDBKeyRange.bound([person], [person, []])));
    }
  });
  return found.reduce((sum, { result }) => sum + result, 0);
}

const workouts = {
  kind: "workouts",
  count: () => count(["pending", "failed"]),
  waits: async () => (await count(["pending"])) > 0,
  async send() {
    const { uploadPending } = await import("./uploads.js");
    return (await uploadPending(await user()))?.stop;
  },
};

const unbinding = {
  async waits() {
    const row = await transact("readonly", (all) =>
      all.objectStore("told").get(["", "unbind"]));
    return Boolean(row?.value.length);
  },
  async send() {
    const { tellUnbound } = await import("./binding.js");
    return tellUnbound();
  },
};

export const couriers = [workouts, unbinding];
