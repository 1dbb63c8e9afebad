// Work for one tab at a time: by Web Locks, or by a lease in the database where they are missing.
import { transact } from "./database.js";

// The longest wait for a tab that died with the lease, in ms. It is longer than any request, and
// the lease is renewed before each.
const LEASE = 60_000;
/** The same for work with files. */
export const FILES_LEASE = 330_000;
const tabID = Math.random();

/**
 * Runs `work(renew)` unless another tab does. `work` calls `renew` before each long step; it gives
 * false when another tab has taken over. `lease` is in ms.
 */
export async function exclusively(name, work, lease = LEASE) {
  if (navigator.locks) {
    const options = { ifAvailable: true };
    return navigator.locks.request(name, options, (lock) => (lock ? work(async () => {}) : null));
  }
  const renew = () => acquireLease(name, lease);
  if (!(await renew())) return null;
  try {
    return await work(renew);
  } finally {
    await transact("readwrite", (all) => {
      const told = all.objectStore("told");
      const found = told.get(["", name]);
      // An expired lease may belong to another tab by now.
      found.onsuccess = () => found.result?.value.owner === tabID && told.delete(["", name]);
    });
  }
}

async function acquireLease(name, length) {
  let taken = false;
  await transact("readwrite", (all) => {
    const told = all.objectStore("told");
    const found = told.get(["", name]);
    found.onsuccess = () => {
      const lease = found.result?.value;
      if (lease && lease.owner !== tabID && lease.until > Date.now()) return;
      told.put({ user: "", name, value: { owner: tabID, until: Date.now() + length } });
      taken = true;
    };
  });
  return taken;
}
