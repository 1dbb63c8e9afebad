// What this page knows of its group: the newest version, asked for when there is word of one.

/** The group is closed, or we are not in it any more. */
export class Gone extends Error {}

export class Group {
  /** @param clock hears the time of each answer. */
  constructor(address, version, clock) {
    this.address = address;
    this.version = version;
    this.clock = clock;
    // How many answers held something new.
    this.answers = 0;
    this.members = [];
    this.waypoints = [];
    this.events = [];
    // The first time all is asked for.
    this.isKnown = false;
  }

  /**
   * Asks for what changed since the version that we have. Calls while one is under way are answered by
   * one more after it, so that no news is missed.
   */
  catchUp() {
    this.next ??= this.inTurn();
    return this.next;
  }

  async inTurn() {
    await this.running?.catch(() => {});
    // Many people change their places all the time: the larger the group, the longer the breath.
    const pause = (this.askedAt ?? -Infinity) + 200 + 3 * this.members.length - performance.now();
    if (pause > 0) await new Promise((over) => setTimeout(over, pause));
    this.next = undefined;
    this.askedAt = performance.now();
    this.running = this.ask();
    return this.running;
  }

  async ask() {
    const since = this.isKnown ? `?since=${this.version}` : "";
    const answer = await fetch(this.address + since, {
      credentials: "same-origin",
      cache: "no-store",
      headers: { Accept: "application/json" },
      signal: AbortSignal.timeout(20_000),
    });
    this.clock.hear(answer);
    if (answer.status === 304) return;
    if ([401, 403, 404, 410].includes(answer.status)) throw new Gone();
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const group = await answer.json();
    if (group.is_active === false) throw new Gone();
    this.take(group);
  }

  take(group) {
    // The latest answer is right, even with a lower version: the server may have been restored.
    this.answers += 1;
    this.events = group.events ?? [];
    const pages = [group.members.map((member) => [member.user_id, member.role]), group.waypoints];
    const shape = JSON.stringify([group.name, group.leader_id, group.active_waypoint_id, ...pages]);
    // Whether anything but places changed: what the server writes into its page.
    this.hasNewShape = this.isKnown
      ? shape !== this.shape || this.events.length > 0
      : group.version !== this.version;
    this.shape = shape;
    this.isKnown = true;
    this.version = group.version;
    this.members = group.members;
    this.waypoints = group.waypoints;
    this.leader = group.leader_id;
    this.activeWaypoint = group.active_waypoint_id;
  }
}
