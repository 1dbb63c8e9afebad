// The identifier of this browser as a device. It is made once and survives signing out.
import { transact } from "../base/database.js";

// The key belongs to the browser, not to a user.
const KEY = ["", "device"];

/** A UUID (version 4) that stays the same in this browser. Throws `StorageFailure`. */
export async function deviceID() {
  const known = await transact("readonly", (all) => all.objectStore("told").get(KEY));
  if (known) return known.value;
  let id;
  await transact("readwrite", (all) => {
    const told = all.objectStore("told");
    const found = told.get(KEY);
    found.onsuccess = () => {
      id = found.result?.value ?? randomUUID();
      // Two tabs agree: the second one finds what the first has written.
      if (!found.result) told.put({ user: KEY[0], name: KEY[1], value: id });
    };
  });
  return id;
}

/** A random UUID. `crypto.randomUUID` is missing on pages without HTTPS. */
export function randomUUID() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
