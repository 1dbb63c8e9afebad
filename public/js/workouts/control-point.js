// The control point of a fitness machine: one command at a time, each of which the machine answers
// by an indication.
import { CODES, commands, decodeAnswer } from "./ftms.js";

// How long a machine may take to answer, in ms.
const PATIENCE = 4_000;

/** A machine that says no, or nothing. */
export class Refused extends Error {
  constructor(result) {
    super(`control point: ${result}`);
    this.result = result;
  }
}

export class ControlPoint {
  #characteristic;
  #patience;
  #last = Promise.resolve();
  #waiting;

  constructor(characteristic, patience = PATIENCE) {
    this.#characteristic = characteristic;
    this.#patience = patience;
    characteristic.addEventListener("characteristicvaluechanged", ({ target }) => {
      const answer = decodeAnswer(target.value);
      // One that comes after its time belongs to no command that waits now.
      if (answer && answer.code === this.#waiting?.code) this.#waiting.hear(answer.result);
    });
  }

  /** Sends a command after those before it, and waits for "done"; throws `Refused` otherwise. */
  send(command) {
    const sent = this.#last.then(() => this.#exchange(command));
    this.#last = sent.catch(() => {});
    return sent;
  }

  async #exchange(command) {
    let result = await this.#ask(command);
    if (result === "notPermitted" && command[0] !== CODES.control) {
      // Somebody at the machine took control meanwhile: asked for once more.
      if ((await this.#ask(commands.control())) === "done") result = await this.#ask(command);
    }
    if (result !== "done") throw new Refused(result);
  }

  async #ask(command) {
    const answer = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Refused("silent")), this.#patience);
      this.#waiting = {
        code: command[0],
        hear: (result) => {
          clearTimeout(timer);
          resolve(result);
        },
      };
    });
    // Heard even when the writing fails.
    answer.catch(() => {});
    try {
      await this.#write(command);
      return await answer;
    } finally {
      this.#waiting = undefined;
    }
  }

  #write(command) {
    const characteristic = this.#characteristic;
    if (characteristic.writeValueWithResponse) return characteristic.writeValueWithResponse(command);
    return characteristic.writeValue(command);
  }
}
