// The control point of a fitness machine: one command at a time, each answered by an indication.
import { OPCODES, commands, decodeResponse } from "./ftms.js";

// The time for a machine to answer, in ms.
const TIMEOUT = 4_000;

/** A command that the machine refused or did not answer. */
class ControlPointError extends Error {
  constructor(result) {
    super(`control point: ${result}`);
    this.result = result;
  }
}

export class ControlPoint {
  #characteristic;
  #timeout;
  #last = Promise.resolve();
  #waiting;

  constructor(characteristic, timeout = TIMEOUT) {
    this.#characteristic = characteristic;
    this.#timeout = timeout;
    characteristic.addEventListener("characteristicvaluechanged", ({ target }) => {
      const answer = decodeResponse(target.value);
      // A late answer belongs to no command that waits now.
      if (answer && answer.code === this.#waiting?.code) this.#waiting.resolve(answer.result);
    });
  }

  /**
   * Sends a command after earlier ones, and waits for "done"; throws `ControlPointError` otherwise.
   */
  send(command) {
    const sent = this.#last.then(() => this.#exchange(command));
    this.#last = sent.catch(() => {});
    return sent;
  }

  async #exchange(command) {
    let result = await this.#ask(command);
    if (result === "notPermitted" && command[0] !== OPCODES.control) {
      // The rider took control at the machine meanwhile: requests it again.
      if ((await this.#ask(commands.control())) === "done") result = await this.#ask(command);
    }
    if (result !== "done") throw new ControlPointError(result);
  }

  async #ask(command) {
    const answer = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new ControlPointError("silent")), this.#timeout);
      this.#waiting = {
        code: command[0],
        resolve: (result) => {
          clearTimeout(timer);
          resolve(result);
        },
      };
    });
    // The promise is handled even if the write fails.
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
    if (characteristic.writeValueWithResponse)
      return characteristic.writeValueWithResponse(command);
    return characteristic.writeValue(command);
  }
}
