// Calls: messages to all members, shown at the top of the page until they are dismissed. They stay
// while the server's parts of the page are replaced.

// Older calls, in ms, are not shown when the page is opened.
const RECENT = 600_000;
const ALARMS = ["emergency", "need_help"];
// "I'm OK" takes back "Need help" of the same member.
const HELP = ["need_help", "is_ok"];
const ICONS = {
  gather: "gather",
  move: "forward",
  rest: "cup",
  return: "return",
  emergency: "exclamation",
  need_help: "warning",
  is_ok: "check",
};
// Vibration, in ms on and off.
const VIBRATION = [400, 150, 400, 150, 800];

/**
 * Whether a call replaces an earlier one: a leader's call the one before; an alarm, and "I'm OK",
 * only the same of the same member.
 */
export function replaces(event, other) {
  if (![...ALARMS, ...HELP].includes(event.kind)) return !ALARMS.includes(other.kind);
  if (event.user_id !== other.user_id) return false;
  return event.kind === other.kind || [event, other].every(({ kind }) => HELP.includes(kind));
}

export class Calls {
  /**
   * @param place the element that holds them.
   * @param template a template of one call.
   * @param me the id of the user, whose own calls are not shown.
   */
  constructor(place, template, { group, clock, words, me }) {
    Object.assign(this, { place, template, group, clock, words, me });
    this.shown = new Map();
    this.key = `calls ${group.address}`;
    this.dismissed = new Set(this.loadDismissed());
    this.isFirst = true;
  }

  /** Handles the events of an answer of the server. */
  receive(events) {
    for (const event of events) if (this.isNew(event)) this.add(event);
    this.isFirst = false;
  }

  /** Whether an alarm is shown, and so was read out already. */
  hasAlarm(version) {
    return ALARMS.includes(this.shown.get(version)?.event.kind);
  }

  isNew({ kind, version, user_id: person, created_at: at }) {
    if (!(kind in ICONS) || person === this.me) return false;
    if (this.shown.has(version) || this.dismissed.has(version)) return false;
    return !this.isFirst || this.clock.now() - Date.parse(at) < RECENT;
  }

  add(event) {
    const isAlarm = ALARMS.includes(event.kind);
    for (const { event: other } of this.shown.values()) {
      if (replaces(event, other)) this.remove(other.version);
    }
    const element = this.template.content.firstElementChild.cloneNode(true);
    element.dataset.call = event.kind;
    element.classList.toggle("is-alarm", isAlarm);
    const icon = element.querySelector("use");
    icon.setAttribute("href", icon.getAttribute("href").replace(/#.*/, `#${ICONS[event.kind]}`));
    const caller = this.group.members.find((member) => member.user_id === event.user_id);
    element.querySelector("b").textContent = this.words.call(event.kind, caller?.display_name);
    const note = element.querySelector("q");
    note.hidden = !event.note;
    note.textContent = event.note ?? "";
    // Other calls are read out by the log. The age changes, and is not read out again.
    if (isAlarm) element.querySelector("[data-call-words]").setAttribute("role", "alert");
    element.querySelector("button").addEventListener("click", () => this.dismiss(event.version));
    this.shown.set(event.version, { event, element });
    if (isAlarm) this.place.prepend(element);
    else this.place.append(element);
    if (event.kind === "emergency" && navigator.userActivation?.hasBeenActive) {
      navigator.vibrate?.(VIBRATION);
    }
  }

  /** Shows how long ago each call was, and where its caller is now, as far as `people` knows. */
  show(people) {
    for (const { event, element } of this.shown.values()) {
      const age = this.words.since(Math.max(0, this.clock.now() - Date.parse(event.created_at)));
      const way = people.get(event.user_id)?.way;
      const words = way ? `${this.words.way(way)} · ${age}` : age;
      const place = element.querySelector("[data-call-where]");
      if (place.textContent !== words) place.textContent = words;
    }
  }

  dismiss(version) {
    this.remove(version);
    this.dismissed.add(version);
    try {
      sessionStorage.setItem(this.key, JSON.stringify([...this.dismissed].slice(-50)));
    } catch {
      // Without storage the call is shown again after a reload.
    }
  }

  remove(version) {
    this.shown.get(version)?.element.remove();
    this.shown.delete(version);
  }

  loadDismissed() {
    try {
      return JSON.parse(sessionStorage.getItem(this.key)) ?? [];
    } catch {
      return [];
    }
  }
}
