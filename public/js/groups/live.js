// The live page of a group: hears of changes, knows where I am, and shows who is where.
import { Gone, Group } from "./group.js";
import { fill, placeOf, sort, way } from "./lists.js";
import { Places } from "./places.js";
import { Radar } from "./radar.js";
import { Sharing } from "./sharing.js";
import { Stream } from "./stream.js";
import { followCompass, mayHaveCompass } from "./compass.js";
import { refresh, take } from "./fragments.js";
import { sendForms } from "./forms.js";
import { wordsOf } from "./words.js";

// Ages grow even when nothing happens.
const TICK = 5_000;
// What changes all the time is read out at most so often, in ms.
const SPOKEN = 60_000;

export function start(root) {
  new LivePage(root);
}

class LivePage {
  constructor(root) {
    const { id, me, version, now } = root.dataset;
    this.root = root;
    this.me = me;
    this.heading = 0;
    // Places are as old as the server says: a phone's clock may be wrong.
    this.ahead = Number(now) - Date.now();
    this.words = wordsOf(root);
    const address = `/api/v1/groups/${id}`;
    this.group = new Group(address, Number(version));
    this.radar = new Radar(root.querySelector("[data-radar]"), this.words, root.dataset.units);
    this.places = new Places(address, () => this.now(), (what) => this.placed(what));
    this.sharing = new Sharing(root.querySelector("[data-group-sharing]"), this.places, this.words);
    this.stream = new Stream(`${address}/events`, () => this.catchUp(), (state) => this.told(state));
    this.ticking = setInterval(() => this.show(), TICK);
    sendForms(root, (page, isAnswer) => this.rewritten(() => take(page, isAnswer)));
    this.offerCompass();
    this.offerMap();
    this.show();
  }

  now() {
    return Date.now() + this.ahead;
  }

  /** Asks for what is new, and shows it. */
  async catchUp() {
    try {
      const isNew = await this.group.catchUp();
      this.isUnreachable = false;
      this.told();
      if (!isNew) return;
      this.show();
      if (this.group.hasNewShape) await this.reshape();
    } catch (failure) {
      if (failure instanceof Gone) {
        this.end();
        return;
      }
      this.isUnreachable = true;
      this.told();
    }
  }

  /** More than places changed: the server writes it in words. */
  async reshape() {
    await this.rewritten(refresh);
  }

  /** Shows what the server wrote anew, and says what is new in the log. */
  async rewritten(write) {
    const entries = () => [...this.root.querySelectorAll("[data-log-entry]")];
    const before = new Set(entries().map(keyOf));
    await write();
    this.show();
    // The log has the newest first; it is read in the order in which things happened.
    const fresh = entries().filter((entry) => !before.has(keyOf(entry))).reverse();
    this.speak(fresh.map((entry) => entry.firstElementChild.textContent.trim()));
  }

  told(state) {
    if (state) this.isOpen = state === "open";
    const place = this.root.querySelector("[data-connection]");
    const name = this.isUnreachable ? "unreachable" : this.isOpen === false ? "polling" : "live";
    if (!place || place.dataset.state === name) return;
    place.dataset.state = name;
    place.textContent = this.words.say(name);
  }

  placed(what) {
    this.sharing?.placed(what);
    if (what === "place" || what === "stopped" || what === "ended") this.show();
  }

  // MARK: Showing

  /** Where I am: what this phone says, else what the group knows. */
  myPlace() {
    const member = this.group.members.find((each) => each.user_id === this.me);
    return this.places?.place ?? (member && placeOf(member));
  }

  show() {
    const { group, root, words } = this;
    if (!group.isKnown) return;
    const mine = this.myPlace();
    const leader = group.members.find((member) => member.user_id === group.leader);
    const lead = leader && (leader.user_id === this.me ? mine : placeOf(leader));
    const people = new Map(
      group.members.map((member) => [member.user_id, this.person(member, mine, leader, lead)]),
    );
    const points = new Map(
      group.waypoints.map((point) => [
        point.id,
        { name: point.name, way: mine && way(mine, point), fromLeader: lead && way(lead, point).distance },
      ]),
    );
    fill(root, "data-person", people, words, this.heading);
    fill(root, "data-waypoint", points, words, this.heading);
    sort(root.querySelector("[data-people]"), people);
    for (const time of root.querySelectorAll("[data-log-entry] time")) {
      const age = this.words.age(this.now() - Date.parse(time.dateTime));
      if (time.textContent !== age) time.textContent = age;
    }
    this.drawRadar(people, points, mine);
    this.drawMap(people, points, mine);
    this.summarise(people);
  }

  person(member, mine, leader, lead) {
    const isMe = member.user_id === this.me;
    const place = isMe ? mine : placeOf(member);
    const isLed = lead && member !== leader && leader.user_id !== this.me;
    return {
      name: member.display_name,
      isMe,
      place,
      way: !isMe && mine && place && way(mine, place),
      fromLeader: isLed && place ? way(lead, place).distance : undefined,
      accuracy: place?.accuracy,
      age: place && Math.max(0, this.now() - place.at),
    };
  }

  drawRadar(people, points, mine) {
    const stage = this.root.querySelector("[data-radar-stage]");
    stage.classList.toggle("is-blind", !mine);
    const near = [...people.values()]
      .filter((person) => person.way)
      .map(({ way, ...person }) => ({ ...person, ...way, initials: initials(person.name) }))
      .sort((a, b) => a.distance - b.distance);
    const marks = [...points]
      .filter(([, point]) => point.way)
      .map(([id, point]) => ({ name: point.name, ...point.way, active: id === this.group.activeWaypoint }));
    this.radar.show(near, marks);
  }

  drawMap(people, points, mine) {
    if (!this.map) return;
    const things = this.group.waypoints.map((point) => ({ ...point, kind: "point" }));
    for (const [id, { name, place, age, isMe }] of people) {
      if (place) things.push({ id, name, age, kind: isMe ? "me" : "person", ...place });
    }
    this.map.show(things);
  }

  /** Says in words who is where, for those who can't see it, when it has changed. */
  summarise(people) {
    const words = [...people.values()]
      .filter((person) => person.way)
      .sort((a, b) => a.way.distance - b.way.distance)
      .slice(0, 5)
      .map(({ name, way }) =>
        `${name} ${this.words.distance(way.distance)} ${this.words.direction(way.bearing)}`);
    const summary = words.join("; ");
    if (summary === this.summary || Date.now() - (this.spokenAt ?? 0) < SPOKEN) return;
    this.summary = summary;
    this.spokenAt = Date.now();
    if (summary) this.speak([summary]);
  }

  speak(sentences) {
    const place = this.root.querySelector("[data-spoken]");
    for (const sentence of sentences) {
      const line = document.createElement("p");
      line.textContent = sentence;
      place?.append(line);
    }
    while (place && place.childElementCount > 5) place.firstElementChild.remove();
  }

  // MARK: What a device may have

  offerCompass() {
    const button = this.root.querySelector("[data-compass]");
    if (!button) return;
    button.hidden = !mayHaveCompass();
    button.addEventListener("click", async () => {
      try {
        await followCompass((heading) => {
          this.heading = heading;
          this.radar.heading = heading;
          this.show();
        });
        button.hidden = true;
      } catch {
        button.textContent = this.words.say("noCompass");
        button.disabled = true;
      }
    });
  }

  async offerMap() {
    const place = this.root.querySelector("[data-map]");
    if (!place?.dataset.tiles) return;
    try {
      const { showMap } = await import("./map.js");
      this.map = await showMap(place, this.words);
      this.show();
    } catch {
      // The radar needs no tiles, and the list no picture at all.
      place.hidden = true;
    }
  }

  /** Closed, or not ours any more: the server's page says which. */
  end() {
    clearInterval(this.ticking);
    this.stream?.end();
    this.places.halt();
    location.reload();
  }
}

const keyOf = (entry) => entry.dataset.logEntry;

/** As the server makes them: one character for Chinese names, the first letters of two words else. */
function initials(name) {
  const words = name.split(/[ -]/).filter(Boolean);
  const first = [...(words[0] ?? "?")][0];
  if (first.codePointAt(0) >= 0x2e80 || words.length < 2) return first.toUpperCase();
  return (first + [...words.at(-1)][0]).toUpperCase();
}
