// The list of conversations: shows new messages while it is open.
import { get, parsePage } from "../base/fetch.js";
import { Stream } from "../base/stream.js";
import { textOf } from "./merge.js";

const IGNORED = "[name=csrf_token], time";

export function start(list) {
  let place = list;
  const refresh = async () => {
    if (document.hidden) return;
    try {
      const page = await parsePage(await get(location.pathname + location.search));
      const fresh = page.querySelector("[data-conversations]");
      // Nothing moves under a finger or a key.
      if (!fresh || place.contains(document.activeElement) || isSame(place, fresh)) return;
      const next = document.importNode(fresh, true);
      place.replaceWith(next);
      place = next;
    } catch {
      // The next change will do.
    }
  };
  const stream = new Stream(list.dataset.conversations, "inbox", refresh);
  const onHidden = () => document.hidden && stream.close();
  document.addEventListener("visibilitychange", onHidden);
  const onAdded = () => {
    if (place.isConnected) return;
    stream.end();
    document.removeEventListener("visibilitychange", onHidden);
    document.removeEventListener("pairspot:added", onAdded);
  };
  document.addEventListener("pairspot:added", onAdded);
}

// The ages of messages change without a message.
const isSame = (old, fresh) => textOf(old, IGNORED) === textOf(fresh, IGNORED);
