// Puts the messages of the server's page into this one, so that nothing else on it changes.

/**
 * Adds and replaces messages and the notes above them. Gives the new messages, or undefined when
 * more than a page is new, so that some between would be missing.
 */
export function mergeConversation(root, page) {
  const known = new Set([...root.querySelectorAll("[data-message]")].map(keyOf));
  const all = [...page.querySelectorAll("[data-message]")];
  if (known.size && all.length && !all.some((message) => known.has(keyOf(message)))) {
    return undefined;
  }
  const added = [];
  for (const day of page.querySelectorAll("[data-day]")) added.push(...mergeDay(root, day));
  removeGone(root, page, new Set(all.map(keyOf)));
  if (all.length) root.querySelector("[data-none]")?.remove();
  replaceState(root, page);
  return added;
}

function mergeDay(root, day) {
  const days = root.querySelector("[data-days]");
  const here = [...days.children].find((other) => other.dataset.day === day.dataset.day);
  if (!here) {
    const fresh = document.importNode(day, true);
    const later = [...days.children].find((other) => other.dataset.day > day.dataset.day);
    days.insertBefore(fresh, later ?? null);
    announce(fresh);
    return [...fresh.querySelectorAll("[data-message]")];
  }
  const list = here.querySelector("ol");
  const added = [];
  for (const message of day.querySelectorAll("[data-message]")) {
    const old = list.querySelector(`[data-message="${keyOf(message)}"]`);
    if (old) replaceMessage(old, message);
    else added.push(insert(list, message));
  }
  return added;
}

/** Inserts a message at its place: numbers grow. */
function insert(list, message) {
  const fresh = document.importNode(message, true);
  const later = [...list.children].find((other) => Number(keyOf(other)) > Number(keyOf(message)));
  list.insertBefore(fresh, later ?? null);
  announce(fresh);
  return fresh;
}

/**
 * Removes messages of deleted accounts: the newest page has all from its first message on. An older
 * page than the last one removes nothing.
 */
function removeGone(root, page, shown) {
  const version = Number(page.dataset.version);
  if (version < Number(root.dataset.version)) return;
  root.dataset.version = version;
  const first = shown.size ? Math.min(...[...shown].map(Number)) : 0;
  for (const message of root.querySelectorAll("[data-message]")) {
    if (Number(keyOf(message)) >= first && !shown.has(keyOf(message))) message.remove();
  }
  for (const day of root.querySelectorAll("[data-day]")) {
    if (!day.querySelector("[data-message]")) day.remove();
  }
}

function replaceMessage(old, message) {
  // An open menu and a playing voice note are in use; the next change will do.
  const isPlaying = [...old.querySelectorAll("audio")].some((audio) => !audio.paused);
  if (isPlaying || old.querySelector("details[open]") || textOf(old) === textOf(message)) return;
  const fresh = document.importNode(message, true);
  const hasFocus = old.contains(document.activeElement);
  old.replaceWith(fresh);
  announce(fresh);
  if (hasFocus) fresh.querySelector("summary")?.focus();
}

function replaceState(root, page) {
  const [old, fresh] = [root, page].map((part) => part.querySelector("[data-part=state]"));
  if (!old || !fresh || textOf(old) === textOf(fresh)) return;
  old.replaceWith(document.importNode(fresh, true));
}

const keyOf = (message) => message.dataset.message;

/** The markup to compare, without the elements that differ in each page. */
export function textOf(part, ignored = "[name=csrf_token]") {
  const copy = part.cloneNode(true);
  for (const element of copy.querySelectorAll(ignored)) element.remove();
  for (const fold of copy.querySelectorAll("details")) fold.removeAttribute("open");
  return copy.innerHTML.replace(/\s+/g, " ");
}

/** Starts the scripts of a new part. */
function announce(part) {
  part.dispatchEvent(new CustomEvent("pairspot:added", { bubbles: true }));
}
