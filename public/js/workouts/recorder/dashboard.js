// The dashboard during a recording: figures that can be read from two metres, stages, buttons.
import { longUnits, speed } from "../units.js";
import { clock } from "../../base/format.js";
import { measurements } from "./recording.js";
import { isPaused, movingTime } from "./riding-time.js";
import { targetStatus, barHeights, totalSeconds, stageAt } from "./stages.js";
import { formatNumber, phrase } from "./recorder-words.js";

// The longest text of a stage where everything is in one line.
const SHORT_TEXT = 20;

export class Dashboard {
  #root;
  #find;
  #bars = [];
  #shown = new Map();

  constructor(root) {
    this.#root = root;
    this.#find = (selector) => root.querySelector(selector);
  }

  /** Shows a ride that begins or continues. */
  open(ride) {
    const stages = ride.training?.stages ?? [];
    this.#find("[data-name]").textContent = ride.training?.name ?? phrase("free");
    this.#root.classList.toggle("has-course", stages.length > 0);
    this.#find("[data-course]").hidden = !stages.length;
    this.#draw(stages);
  }

  #draw(stages) {
    const place = this.#find("[data-bars]");
    const high = barHeights(stages);
    this.#bars = stages.map(({ seconds }, index) => {
      const bar = document.createElement("i");
      bar.style.flexGrow = seconds;
      bar.style.height = `${Math.round(high[index] * 100)}%`;
      return bar;
    });
    const hand = document.createElement("span");
    place.replaceChildren(...this.#bars, hand);
  }

  /** Shows the state at the moment `now`; `values` are the current measurements. */
  paint(ride, now, values, devices) {
    const past = movingTime(ride, now) / 1000;
    const stages = ride.training?.stages ?? [];
    const at = stageAt(stages, past);
    const measured = measurements(values);
    const goal = targetStatus(at?.stage, values);
    this.#paintTimes(past, at, stages);
    this.#paintMain(ride, past, measured, goal, devices);
    this.#figure("cadence", formatNumber(measured.cadence));
    this.#figure("heart", formatNumber(measured.heart_rate));
    this.#figure("distance", longDistance(ride.distance));
    this.#text("[data-label=distance]", phrase("distance"));
    this.#figure("energy", formatNumber(ride.energy));
    this.#text(
      "[data-label=cadence]",
      phrase(ride.device_type === "rower" ? "strokes" : "cadence"),
    );
    this.#paintCourse(stages, at, past);
    this.#paintFooter(ride, stages, at, values);
    this.#paintState(ride, devices);
  }

  #paintTimes(past, at, stages) {
    this.#figure("time", clock(past));
    this.#root.classList.toggle("has-hours", past >= 3600);
    this.#find(".fig-left").hidden = !stages.length;
    if (stages.length) this.#figure("left", clock(Math.ceil(at?.leftInAll ?? 0)));
  }

  /** Shows power if it is measured, else speed, else the time. */
  #paintMain(ride, past, measured, goal, devices) {
    const kind = goal && goal.of !== "resistance" ? goal.of : this.#kind(ride, devices);
    const shown = {
      power: [phrase("power"), formatNumber(measured.power), phrase("watts")],
      cadence: [
        phrase(ride.device_type === "rower" ? "strokes" : "cadence"),
        formatNumber(measured.cadence),
        "",
      ],
      speed: [phrase("speed"), formatNumber(speed(measured.speed), 1), phrase("kmh")],
      time: [phrase("time"), clock(past), ""],
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
    const target =
      goal &&
      phrase(`aim${goal.of[0].toUpperCase()}${goal.of.slice(1)}`, formatNumber(goal.target));
    const words = { on: "onTarget", below: "belowTarget", above: "aboveTarget" }[state];
    const mark = document.createElement("b");
    mark.textContent = words ? phrase(words) : "";
    const text = [mark.textContent, target].filter(Boolean).join(" · ");
    if (place.textContent !== text) {
      place.replaceChildren(...(words ? [mark, ` · ${target}`] : [target ?? ""]));
    }
    if (scale.hidden) return;
    const share = (value) =>
      Math.min(Math.max((value - goal.from) / (goal.to - goal.from), 0), 1) * 100;
    const low = share(goal.target - goal.tolerance);
    const band = scale.querySelector(".scale-band");
    band.style.left = `${low}%`;
    band.style.width = `${share(goal.target + goal.tolerance) - low}%`;
    const hand = scale.querySelector(".scale-now");
    hand.hidden = goal.value === undefined;
    hand.style.left = `${share(goal.value ?? goal.target)}%`;
    this.#text("[data-from]", formatNumber(goal.from));
    this.#text("[data-to]", formatNumber(goal.to));
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
    hand.style.left = `${Math.min(past / totalSeconds(stages), 1) * 100}%`;
    const left = at ? phrase("left", clock(Math.ceil(at.left))) : "";
    this.#text("[data-stage]", at ? stageText(at, stages.length) : "");
    this.#text("[data-stage-left]", left);
    this.#text(
      "[data-stage-short]",
      at ? `${stageText(at, stages.length, SHORT_TEXT)} · ${left}` : "",
    );
  }

  #paintFooter(ride, stages, at, values) {
    const next = at?.next;
    const words = at
      ? next
        ? phrase("next", nextStageText(next))
        : phrase("lastStage")
      : phrase("courseDone");
    this.#text("[data-next]", stages.length ? words : "");
    const pace = values.pace ? phrase("pace", clock(values.pace)) : "";
    const sums = phrase(
      "totals",
      formatNumber(longUnits(ride.distance), 1),
      formatNumber(ride.energy),
    );
    const pacing =
      !pace && values.speed !== undefined
        ? `${formatNumber(speed(values.speed), 1)} ${phrase("kmh")}`
        : "";
    const all = stages.length ? [sums, pace] : [pace || pacing];
    this.#text("[data-totals]", all.filter(Boolean).join(" · "));
  }

  #paintState(ride, { machine, belt }) {
    const paused = isPaused(ride);
    this.#root.classList.toggle("is-paused", paused);
    this.#text("[data-pause-label]", phrase(paused ? "resume" : "pause"));
    // Without devices only the stopwatch is shown.
    const isOff = machine.state === "off";
    const noHeart = belt.state === "off" && ride.most.heart_rate === undefined && isOff;
    const noWork = isOff && ride.most.cadence === undefined && !ride.distance && !ride.energy;
    for (const name of ["cadence", "distance", "energy"]) this.#hide(name, noWork);
    this.#hide("heart", noHeart);
    this.#root.classList.toggle("is-watch", noWork && noHeart);
    const link = this.#find("[data-link]");
    link.hidden = !navigator.bluetooth;
    link.dataset.at = machine.state;
    link.disabled = machine.state !== "off";
    const words = {
      off: phrase("connect"),
      connecting: phrase("connecting"),
      lost: phrase("lost"),
    };
    this.#text("[data-link] span", words[machine.state] ?? machine.name);
  }

  /** Shows a message until the next one. */
  say(words) {
    this.#text("[data-say]", words);
  }

  #hide(name, isHidden) {
    this.#find(`.fig-${name}`).hidden = isHidden;
  }

  #figure(name, words) {
    this.#text(`[data-figure=${name}]`, words);
  }

  /** Changes only what is new, as this runs four times a second. */
  #text(selector, words) {
    if (this.#shown.get(selector) === words) return;
    this.#shown.set(selector, words);
    this.#find(selector).textContent = words;
  }
}

function stageText({ index, stage }, count, most = Infinity) {
  const place = phrase("stageOf", index + 1, count);
  const { text } = stage;
  if (!text) return place;
  return `${place} · ${text.length > most ? `${text.slice(0, most).trimEnd()}…` : text}`;
}

function nextStageText({ seconds, target, value, text }) {
  const goal =
    target === "free"
      ? ""
      : phrase(`aim${target[0].toUpperCase()}${target.slice(1)}`, formatNumber(value));
  return [clock(seconds), text, goal].filter(Boolean).join(", ");
}

/** As many digits as fit. */
function longDistance(metres) {
  const long = longUnits(metres);
  return formatNumber(long, long < 10 ? 2 : long < 100 ? 1 : 0);
}
