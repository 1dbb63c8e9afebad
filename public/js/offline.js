// "No connection": loads the page that was asked for as soon as there is one.
import { whenBack } from "./base/reconnect.js";

export function start() {
  // Asked for by its own address there is nothing to go on to.
  if (/^\/offline(\/|$)/.test(location.pathname)) return;
  whenBack(() => location.reload());
}
