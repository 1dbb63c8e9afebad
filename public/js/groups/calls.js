// What somebody calls out to all stands on top of the page until it is put away: the log is at the
// page's foot. The server may write the page anew meanwhile; what stands here stays.

// What is older than this, in ms, when the page is opened, is history.
const RECENT = 600_000;
const ALARMS = ["emergency", "need_help"];
const ICONS = {
  gather: "gather", move: "forward", rest: "cup", return: "return",
  emergency: "exclamation", need_help: "warning",
};
// As a phone shakes, in ms on and off.
const CRY = [400, 150, 400, 150, 800];

export class Calls {
  /**
   * @param place where they stand.
   * @param shape a template of one of them.
   * @param me my own aren't shown to me.
   */
  constructor(place, shape, { group, clock, words, me }) {
    Object.assign(this, { place, shape, group, clock, words, me });
    this.shown = new Map();
    this.key = `calls ${group.address}`;
    this.away = new Set(this.kept());
    this.isFirst = true;
  }

  /** Takes the events of an answer of the server. */
  hear(events) {
    for (const event of events) if (this.isNew(event)) this.add(event);
    this.isFirst = false;
  }

  /** Whether it stands here, and was read out by that. */
  hasAlarm(version) {
    return ALARMS.includes(this.shown.get(version)?.event.kind);
  }

  isNew({ kind, version, user_id: person, created_at: at }) {
    if (!(kind in ICONS) || person === this.me) return false;
    if (this.shown.has(version) || this.away.has(version)) return false;
    return !this.isFirst || this.clock.now() - Date.parse(at) < RECENT;
  }

  add(event) {
    const isAlarm = ALARMS.includes(event.kind);
    // A leader's word takes the place of the one before; an alarm only of the same one's same alarm.
    for (const { event: other } of this.shown.values()) {
      const isSame = other.kind === event.kind && other.user_id === event.user_id;
      if (isAlarm ? isSame : !ALARMS.includes(other.kind)) this.remove(other.version);
    }
    const element = this.shape.content.firstElementChild.cloneNode(true);
    element.dataset.call = event.kind;
    element.classList.toggle("is-alarm", isAlarm);
    const icon = element.querySelector("use");
    icon.setAttribute("href", icon.getAttribute("href").replace(/#.*/, `#${ICONS[event.kind]}`));
    const caller = this.group.members.find((member) => member.user_id === event.user_id);
    element.querySelector("b").textContent = this.words.call(event.kind, caller?.display_name);
    const note = element.querySelector("q");
    note.hidden = !event.note;
    note.textContent = event.note ?? "";
    // The log's line says the others; how old it is changes, and isn't said again and again.
    if (isAlarm) element.querySelector("[data-call-words]").setAttribute("role", "alert");
    element.querySelector("button").addEventListener("click", () => this.putAway(event.version));
    this.shown.set(event.version, { event, element });
    if (isAlarm) this.place.prepend(element);
    else this.place.append(element);
    if (event.kind === "emergency" && navigator.userActivation?.hasBeenActive) {
      navigator.vibrate?.(CRY);
    }
  }

  /** Says how long ago it was, and where whoever called is now, as far as `people` has it. */
  show(people) {
    for (const { event, element } of this.shown.values()) {
      const age = this.words.age(Math.max(0, this.clock.now() - Date.parse(event.created_at)));
      const way = people.get(event.user_id)?.way;
      const words = way ? `${this.words.way(way)} · ${age}` : age;
      const place = element.querySelector("[data-call-where]");
      if (place.textContent !== words) place.textContent = words;
    }
  }

  putAway(version) {
    this.remove(version);
    this.away.add(version);
    try {
      sessionStorage.setItem(this.key, JSON.stringify([...this.away].slice(-50)));
    } catch {
      // A browser that keeps nothing shows it once more when the page is loaded anew.
    }
  }

  remove(version) {
    this.shown.get(version)?.element.remove();
    this.shown.delete(version);
  }

  kept() {
    try {
      return JSON.parse(sessionStorage.getItem(this.key)) ?? [];
    } catch {
      return [];
    }
  }
}
