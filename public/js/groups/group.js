// What this page knows of its group: the newest version, asked for when there is word of one.

/** The group is closed, or we are not in it any more. */
export class Gone extends Error {}

export class Group {
  constructor(address, version) {
    this.address = address;
    this.version = version;
    this.members = [];
    this.waypoints = [];
    this.events = [];
    // The first time all is asked for.
    this.isKnown = false;
  }

  /**
   * Asks for what changed since the version that we have; gives whether anything did. Calls while
   * one is under way are answered by one more after it, so that no news is missed.
   */
  catchUp() {
    this.next ??= this.inTurn();
    return this.next;
  }

  async inTurn() {
    await this.running?.catch(() => {});
    // Many people change their places all the time: the larger the group, the longer the breath.
    const pause = (this.askedAt ?? 0) + 200 + 3 * this.members.length - Date.now();
    if (pause > 0) await new Promise((over) => setTimeout(over, pause));
    this.next = undefined;
    this.askedAt = Date.now();
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
    if (answer.status === 304) return false;
    if ([401, 403, 404, 410].includes(answer.status)) throw new Gone();
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const group = await answer.json();
    if (group.is_active === false) throw new Gone();
    this.take(group);
    return true;
  }

  take(group) {
    // An answer that was overtaken by a newer one.
    if (this.isKnown && group.version < this.version) return;
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
