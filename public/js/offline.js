// The "No connection" page: loads the requested page as soon as the server can be reached.
import { onReconnect } from "./base/reconnect.js";

export function start() {
  // Opened by its own address, it stands for no other page.
  if (/^\/offline(\/|$)/.test(location.pathname)) return;
  onReconnect(() => location.reload());
}
