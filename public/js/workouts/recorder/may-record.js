// Whether a user may record on this device: only on the one that is bound to them.
import { day } from "../../base/format.js";
import { isShell } from "../../base/current-user.js";
import { withTimeout } from "./timeout.js";
import { bind } from "../binding.js";
import { phrase } from "./recorder-words.js";

// The time for the server to answer about the binding, in ms; then recording begins anyway.
const BIND_TIMEOUT = 5_000;

/** Shows `dialog` when another device is bound. True if the server cannot be asked. */
export async function mayRecord(user, dialog) {
  if (isShell() || !navigator.onLine) return true;
  const unknown = () => ({ state: "unknown" });
  const answer = await withTimeout(bind(user), BIND_TIMEOUT).catch(unknown);
  if (answer.state !== "other") return true;
  const name = answer.name ?? phrase("boundUnnamed");
  const since = answer.since ? day(Date.parse(answer.since)) : "–";
  dialog.querySelector("[data-text]").textContent = phrase("bound", name, since);
  dialog.showModal();
  return false;
}
