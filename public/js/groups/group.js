// The group as this page knows it: its newest version, requested when there is news.

/** The group is closed, or the user is no longer a member. */
export class GroupGone extends Error {}

export class Group {
  /** @param clock is set by each answer. */
  constructor(address, version, clock) {
    this.address = address;
    this.version = version;
    this.clock = clock;
    // The number of answers with something new.
    this.answers = 0;
    this.members = [];
    this.waypoints = [];
    this.events = [];
    // The first request asks for everything.
    this.isKnown = false;
  }

  /**
   * Requests what has changed since the known version. Calls during a request are answered by one
   * more request after it, so that no news is missed.
   */
  catchUp() {
    this.next ??= this.askInTurn();
    return this.next;
  }

  async askInTurn() {
    await this.running?.catch(() => {});
    // Positions change all the time: larger groups are requested less often.
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
    this.clock.synchronize(answer);
    if (answer.status === 304) return;
    if ([401, 403, 404, 410].includes(answer.status)) throw new GroupGone();
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const group = await answer.json();
    if (group.is_active === false) throw new GroupGone();
    this.apply(group);
  }

  apply(group) {
    // The latest answer is right, even with a lower version: the server may have been restored.
    this.answers += 1;
    this.events = group.events ?? [];
    const pages = [group.members.map((member) => [member.user_id, member.role]), group.waypoints];
    const content = JSON.stringify([
      group.name,
      group.leader_id,
      group.active_waypoint_id,
      ...pages,
    ]);
    // Whether more than positions has changed, which the server renders.
    this.hasNewShape = this.isKnown
      ? content !== this.shape || this.events.length > 0
      : group.version !== this.version;
    this.shape = content;
    this.isKnown = true;
    this.version = group.version;
    this.members = group.members;
    this.waypoints = group.waypoints;
    this.leader = group.leader_id;
    this.activeWaypoint = group.active_waypoint_id;
  }
}
