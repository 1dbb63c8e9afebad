// What is seen while it is recorded: figures large enough for two metres, the stages, two buttons.
import { clock } from "../base/format.js";
import { bluetooth } from "./gatt.js";
import { isPaused, measuredOf, moved } from "./recording.js";
import { aim, heights, length, stageAt } from "./stages.js";
import { number, say } from "./recorder-words.js";

// The most characters of a stage's text beside its time, where all is in one line.
const SHORT = 20;

export class Cockpit {
  #root;
  #find;
  #bars = [];
  #shown = new Map();

  constructor(root) {
    this.#root = root;
    this.#find = (selector) => root.querySelector(selector);
  }

  /** Shows a ride that begins or goes on. */
  open(ride) {
    const stages = ride.training?.stages ?? [];
    this.#find("[data-name]").textContent = ride.training?.name ?? say("free");
    this.#root.classList.toggle("has-course", stages.length > 0);
    this.#find("[data-course]").hidden = !stages.length;
    this.#draw(stages);
  }

  #draw(stages) {
    const place = this.#find("[data-bars]");
    const high = heights(stages);
    this.#bars = stages.map(({ seconds }, index) => {
      const bar = document.createElement("i");
      bar.style.flexGrow = seconds;
      bar.style.height = `${Math.round(high[index] * 100)}%`;
      return bar;
    });
    const hand = document.createElement("span");
    place.replaceChildren(...this.#bars, hand);
  }

  /** Shows everything as it is at a moment; `values` is what is measured then. */
  paint(ride, now, values, devices) {
    const past = moved(ride, now) / 1000;
    const stages = ride.training?.stages ?? [];
    const at = stageAt(stages, past);
    const measured = measuredOf(values);
    const goal = aim(at?.stage, values);
    this.#paintTimes(past, at, stages);
    this.#paintMain(ride, past, measured, values, goal, devices);
    this.#figure("cadence", number(measured.cadence));
    this.#figure("heart", number(measured.heart_rate));
    this.#figure("distance", kilometres(ride.distance));
    this.#figure("energy", number(ride.energy));
    this.#text("[data-label=cadence]", say(ride.device_type === "rower" ? "strokes" : "cadence"));
    this.#paintCourse(stages, at, past);
    this.#paintFoot(ride, stages, at, values);
    this.#paintState(ride, devices);
  }

  #paintTimes(past, at, stages) {
    this.#figure("time", clock(past));
    this.#root.classList.toggle("has-hours", past >= 3600);
    this.#find(".fig-left").hidden = !stages.length;
    if (stages.length) this.#figure("left", clock(Math.ceil(at?.leftInAll ?? 0)));
  }

  /** Power where it is measured, else speed, else the time itself. */
  #paintMain(ride, past, measured, values, goal, devices) {
    const kind = goal && goal.of !== "resistance" ? goal.of : this.#kind(ride, devices);
    const shown = {
      power: [say("power"), number(measured.power), say("watts")],
      cadence: [say(ride.device_type === "rower" ? "strokes" : "cadence"), number(measured.cadence), ""],
      speed: [say("speed"), number(measured.speed, 1), say("kmh")],
      time: [say("time"), clock(past), ""],
    }[kind];
    this.#text("[data-label=main]", shown[0]);
    this.#figure("main", shown[1]);
    this.#text("[data-unit]", shown[2]);
    this.#root.dataset.main = kind;
    this.#root.classList.toggle("is-long", shown[1].length > (kind === "power" ? 3 : 4));
    this.#paintAim(goal);
  }

  #kind(ride, devices) {
    if (ride.most.power !== undefined) return "power";
    if (ride.most.speed !== undefined) return "speed";
    return devices.machine.state === "off" ? "time" : "power";
  }

  #paintAim(goal) {
    const place = this.#find("[data-aim]");
    const scale = this.#find("[data-scale]");
    const state = goal?.state ?? "none";
    this.#root.dataset.aim = state;
    scale.hidden = !goal || goal.of === "resistance";
    const target = goal && say(`aim${goal.of[0].toUpperCase()}${goal.of.slice(1)}`, number(goal.target));
    const words = { on: "onTarget", below: "belowTarget", above: "aboveTarget" }[state];
    const mark = document.createElement("b");
    mark.textContent = words ? say(words) : "";
    const text = [mark.textContent, target].filter(Boolean).join(" · ");
    if (place.textContent !== text) {
      place.replaceChildren(...(words ? [mark, ` · ${target}`] : [target ?? ""]));
    }
    if (scale.hidden) return;
    const share = (value) => Math.min(Math.max((value - goal.from) / (goal.to - goal.from), 0), 1) * 100;
    const low = share(goal.target - goal.reach);
    const band = scale.querySelector(".scale-band");
    band.style.left = `${low}%`;
    band.style.width = `${share(goal.target + goal.reach) - low}%`;
    const hand = scale.querySelector(".scale-now");
    hand.hidden = goal.value === undefined;
    hand.style.left = `${share(goal.value ?? goal.target)}%`;
    this.#text("[data-from]", number(goal.from));
    this.#text("[data-to]", number(goal.to));
  }

  #paintCourse(stages, at, past) {
    if (!stages.length) return;
    let before = 0;
    for (const [index, bar] of this.#bars.entries()) {
      const part = (past - before) / stages[index].seconds;
      before += stages[index].seconds;
      bar.className = part >= 1 ? "is-done" : part >= 0 ? "is-now" : "";
      bar.style.setProperty("--part", `${Math.min(Math.max(part, 0), 1) * 100}%`);
    }
    const hand = this.#find("[data-bars] span");
    hand.style.left = `${Math.min(past / length(stages), 1) * 100}%`;
    const left = at ? say("left", clock(Math.ceil(at.left))) : "";
    this.#text("[data-stage]", at ? stageWords(at, stages.length) : "");
    this.#text("[data-stage-left]", left);
    this.#text("[data-stage-short]", at ? `${stageWords(at, stages.length, SHORT)} · ${left}` : "");
  }

  #paintFoot(ride, stages, at, values) {
    const next = at?.next;
    const words = at ? (next ? say("next", nextWords(next)) : say("lastStage")) : say("courseDone");
    this.#text("[data-next]", stages.length ? words : "");
    const pace = values.pace ? say("pace", clock(values.pace)) : "";
    const sums = say("totals", number(ride.distance / 1000, 1), number(ride.energy));
    const speed = !pace && values.speed !== undefined ? `${number(values.speed, 1)} ${say("kmh")}` : "";
    const all = stages.length ? [sums, pace] : [pace || speed];
    this.#text("[data-totals]", all.filter(Boolean).join(" · "));
  }

  #paintState(ride, { machine, belt }) {
    const paused = isPaused(ride);
    this.#root.classList.toggle("is-paused", paused);
    this.#text("[data-pause-label]", say(paused ? "resume" : "pause"));
    // With the stopwatch alone there is nothing else to be seen.
    const isOff = machine.state === "off";
    const noHeart = belt.state === "off" && ride.most.heart_rate === undefined && isOff;
    const noWork = isOff && ride.most.cadence === undefined && !ride.distance && !ride.energy;
    for (const name of ["cadence", "distance", "energy"]) this.#hide(name, noWork);
    this.#hide("heart", noHeart);
    this.#root.classList.toggle("is-watch", noWork && noHeart);
    const link = this.#find("[data-link]");
    link.hidden = !bluetooth();
    link.dataset.at = machine.state;
    link.disabled = machine.state !== "off";
    const words = { off: say("connect"), connecting: say("connecting"), lost: say("lost") };
    this.#text("[data-link] span", words[machine.state] ?? machine.name);
  }

  /** Says something that has happened, until the next thing. */
  say(words) {
    this.#text("[data-say]", words);
  }

  #hide(name, isHidden) {
    this.#find(`.fig-${name}`).hidden = isHidden;
  }

  #figure(name, words) {
    this.#text(`[data-figure=${name}]`, words);
  }

  /** Changes only what is new: four times a second is often. */
  #text(selector, words) {
    if (this.#shown.get(selector) === words) return;
    this.#shown.set(selector, words);
    this.#find(selector).textContent = words;
  }
}

function stageWords({ index, stage }, count, most = Infinity) {
  const place = say("stageOf", index + 1, count);
  const { text } = stage;
  if (!text) return place;
  return `${place} · ${text.length > most ? `${text.slice(0, most).trimEnd()}…` : text}`;
}

function nextWords({ seconds, target, value, text }) {
  const goal = target === "free" ? "" : say(`aim${target[0].toUpperCase()}${target.slice(1)}`, number(value));
  return [clock(seconds), text, goal].filter(Boolean).join(", ");
}

/** As many digits as have room. */
function kilometres(metres) {
  const km = metres / 1000;
  return number(km, km < 10 ? 2 : km < 100 ? 1 : 0);
}
