// Shows where the members are: in the lists, on the radar and on the map.
import { fillRows, locationOf, sortByDistance, turnArrows, relativePosition } from "./lists.js";
import { Radar } from "./radar.js";
import { initials, isolated } from "./words.js";

// Up to this age, in ms, the script's text is more precise; the server's texts have days too.
const DAY = 86_400_000;

export class LiveView {
  /**
   * @param root the live page.
   * @param here gives the position of this device, if known.
   */
  constructor(root, group, clock, words, here) {
    Object.assign(this, { root, group, clock, words, here });
    this.me = root.dataset.me;
    this.heading = 0;
    this.radar = new Radar(root.querySelector("[data-radar]"), words, root.dataset.units);
    this.people = new Map();
  }

  show() {
    const { group, root, words } = this;
    if (!group.isKnown) return;
    const mine = this.myPlace();
    const leader = group.members.find((member) => member.user_id === group.leader);
    const lead = leader && (leader.user_id === this.me ? mine : this.placeOf(leader));
    const people = new Map(
      group.members.map((member) => [member.user_id, this.person(member, mine, leader, lead)]),
    );
    this.people = people;
    const points = new Map(
      group.waypoints.map((point) => [
        point.id,
        {
          name: point.name,
          way: mine && relativePosition(mine, point),
          fromLeader: lead && relativePosition(lead, point).distance,
        },
      ]),
    );
    fillRows(root, "data-user-id", people, words, this.heading);
    fillRows(root, "data-waypoint", points, words, this.heading);
    sortByDistance(root.querySelector("[data-people]"), people);
    for (const time of root.querySelectorAll("[data-log-entry] time")) {
      const ms = this.clock.now() - Date.parse(time.dateTime);
      const age = words.since(ms);
      if (ms < DAY && time.textContent !== age) time.textContent = age;
    }
    this.drawRadar(people, points, mine);
    this.drawMap(people);
  }

  /** Turns everything that shows directions. */
  turn(heading) {
    if (Math.abs(heading - this.heading) < 1) return;
    this.heading = heading;
    this.radar.turn(heading);
    turnArrows(this.root, heading);
  }

  /** The user's position: from this device, or as the group knows it. */
  myPlace() {
    const member = this.group.members.find((each) => each.user_id === this.me);
    return this.here() ?? (member && this.placeOf(member));
  }

  /** A member's position, unless the time for which it was shared is over. */
  placeOf(member) {
    return this.isOver(member) ? undefined : locationOf(member);
  }

  isOver({ location, sharing_until: until }) {
    return Boolean(location && until) && Date.parse(until) <= this.clock.now();
  }

  person(member, mine, leader, lead) {
    const isMe = member.user_id === this.me;
    const place = isMe ? mine : this.placeOf(member);
    const isLed = lead && member !== leader && leader.user_id !== this.me;
    return {
      name: member.display_name,
      isMe,
      isOver: !place && this.isOver(member),
      place,
      way: !isMe && mine && place && relativePosition(mine, place),
      fromLeader: isLed && place ? relativePosition(lead, place).distance : undefined,
      accuracy: place?.accuracy,
      age: place && Math.max(0, this.clock.now() - place.at),
    };
  }

  drawRadar(people, points, mine) {
    const stage = this.root.querySelector("[data-radar-stage]");
    const own = this.group.members.find((each) => each.user_id === this.me);
    // While the position is still being determined, the radar keeps its place.
    stage.classList.toggle("is-blind", !mine && !own?.sharing);
    const near = nearest(people).map(({ way, ...person }) => ({
      ...person,
      ...way,
      initials: initials(person.name),
    }));
    const marks = [...points]
      .filter(([, point]) => point.way)
      .map(([id, point]) => ({
        name: point.name,
        ...point.way,
        active: id === this.group.activeWaypoint,
      }));
    this.radar.show(near, marks);
  }

  drawMap(people) {
    if (!this.map) return;
    const things = this.group.waypoints.map((point) => ({ ...point, kind: "point" }));
    for (const [id, { name, place, age, isMe }] of people) {
      if (place) things.push({ id, name, age, kind: isMe ? "me" : "person", ...place });
    }
    this.map.show(things);
  }

  /** A sentence for each member with a position. */
  sentences() {
    return nearest(this.people).map(({ name, way }) => `${isolated(name)}: ${this.words.way(way)}`);
  }
}

const nearest = (people) =>
  [...people.values()]
    .filter((person) => person.way)
    .sort((a, b) => a.way.distance - b.way.distance);
