// Has every page take along what waits: workouts, and the news that a device was let go. Small, for
// it comes with every page; what does the work is fetched when there is some.
import { user } from "../base/memory.js";
import { transact } from "../base/store.js";

async function workoutsWait() {
  const person = await user();
  if (!person) return false;
  const count = await transact("readonly", (all) =>
    all.objectStore("workouts").index("state").count([person, "pending"]));
  return count > 0;
}

const workouts = {
  waits: workoutsWait,
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
