// Requests by which a user's position is shared with a group.
import { sharingStates } from "./sharing-state.js";
import { csrfTokenFor } from "../base/authorized-fetch.js";
import { pageUser } from "../base/current-user.js";

/** Statuses that say that the group has no position of this user any more. */
export const GONE = [404, 409, 410];
/** Statuses that say that the user is signed out; the group may still have the position. */
export const SIGNED_OUT = [401, 403];

// In ms.
const TIMEOUT = 20_000;

/** Failed requests throw an error with the `status`; without one if there was no answer. */
export class SharingAPI {
  /** @param address of the group in the API. */
  constructor(address) {
    this.address = address;
  }

  /** Turns sharing on or off. Requests go out one after the other, so that the last one holds. */
  switch(isOn) {
    const request = () => this.put(`${this.address}/sharing`, { on: isOn });
    this.switching = this.switching ? this.switching.then(request, request) : request();
    return this.switching;
  }

  sendPosition({ at, ...position }) {
    return this.put(`${this.address}/location`, { ...position, at: new Date(at).toISOString() });
  }

  /**
   * Tells the server about other groups where sharing was stopped while it could not be reached.
   * @param now the server's time in ms.
   */
  async stopInOtherGroups(now) {
    for (const state of sharingStates(now)) {
      if (!state.isStopping || state.address === this.address) continue;
      try {
        await this.put(`${state.address}/sharing`, { on: false });
        state.clear();
      } catch ({ status }) {
        if (GONE.includes(status)) state.clear();
      }
    }
  }

  async put(address, body) {
    const send = async () => {
      // Fails if another user has signed in since: nothing is sent in their name.
      this.token ??= await csrfTokenFor(pageUser());
      return fetch(address, {
        method: "PUT",
        credentials: "same-origin",
        headers: { "Content-Type": "application/json", "X-CSRF-Token": this.token },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT),
      });
    };
    let answer;
    try {
      answer = await send();
      if (answer.status === 403) {
        this.token = undefined;
        answer = await send();
      }
    } catch ({ why }) {
      const isSignedOut = why === "signed-out" || why === "other";
      throw Object.assign(new Error("not sent"), isSignedOut && { status: 401 });
    }
    if (!answer.ok) throw Object.assign(new Error("not sent"), { status: answer.status });
    return answer;
  }
}
