// On the trainings' pages: a switch a film that keeps it here, and how far that is.
import { isShell, user } from "../base/current-user.js";
import { filled, text } from "../base/texts.js";
import { tell } from "../base/fetch.js";
import { notice } from "../base/notice.js";
import { Stop } from "./api.js";
import { StorageFailure } from "./workout-store.js";
import { chooseFilm, chosenFilms, keptFilms, KIND, refreshTrainings, syncFilms } from "./trainings.js";

// Between two looks whether another tab is through, in ms.
const AGAIN = 500;

/** `box` is the switch of one training, with its id. */
export async function start(box) {
  const person = await user().catch(() => undefined);
  // Where nothing can be kept there is nothing to choose.
  if (!person || !globalThis.caches) return;
  const input = box.querySelector("input");
  const { id } = box.dataset;
  const show = async () => {
    const [chosen, kept] = [await chosenFilms(person), await keptFilms(person)];
    input.checked = chosen.has(id);
    box.dataset.state = kept.has(id) ? "kept" : chosen.has(id) ? "waits" : "none";
    const words = { kept: "filmKept", waits: "filmWaits", none: "" }[box.dataset.state];
    box.querySelector("[data-film-state]").textContent = words && text(words);
  };
  try {
    await show();
  } catch {
    return;
  }
  box.hidden = false;
  input.addEventListener("change", async () => {
    try {
      await chooseFilm(person, id, input.checked);
      await show();
      await refreshTrainings(person).catch(passOver);
      const say = ({ done, total }) => {
        box.querySelector("[data-film-state]").textContent = filled("films", done, total);
      };
      // The page's start, or another tab, may be at it with the films as they were chosen before.
      while ((await syncFilms(person, say)) === null) await new Promise(soon);
    } catch (failure) {
      if (failure instanceof StorageFailure) notice(text(failure.isFull ? "full" : "notKept"));
      else if (!(failure instanceof Stop)) throw failure;
      else if (failure.why === "unreachable" && !isShell()) tell({ status: 0 });
    }
    await show();
  });
  document.addEventListener("pairspot:outbox", ({ detail }) => {
    if (detail.kind === KIND) show();
  });
}

function soon(resolve) {
  setTimeout(resolve, AGAIN);
}

function passOver(stop) {
  if (!(stop instanceof Stop)) throw stop;
}
