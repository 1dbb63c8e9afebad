// One tab at a time: Web Locks, and where a browser has none a lease in its database.
import { transact } from "./database.js";

// A tab that died with the lease is waited for no longer than this, in ms. It is longer than
// any one request may take, and renewed before each.
const LEASE = 60_000;
const me = Math.random();

/**
 * Runs `work(renew)` unless another tab is at it; `renew` is called before each long step, and
 * gives false when another tab has taken over.
 */
export async function exclusively(name, work) {
  if (navigator.locks) {
    const options = { ifAvailable: true };
    return navigator.locks.request(name, options, (lock) => (lock ? work(async () => {}) : null));
  }
  const renew = () => take(name);
  if (!(await renew())) return null;
  try {
    return await work(renew);
  } finally {
    await transact("readwrite", (all) => {
      const told = all.objectStore("told");
      const found = told.get(["", name]);
      // One that ran out may be another tab's by now.
      found.onsuccess = () => found.result?.value.owner === me && told.delete(["", name]);
    });
  }
}

async function take(name) {
  let taken = false;
  await transact("readwrite", (all) => {
    const told = all.objectStore("told");
    const found = told.get(["", name]);
    found.onsuccess = () => {
      const lease = found.result?.value;
      if (lease && lease.owner !== me && lease.until > Date.now()) return;
      told.put({ user: "", name, value: { owner: me, until: Date.now() + LEASE } });
      taken = true;
    };
  });
  return taken;
}
