// Signing out is the only thing that clears what this browser keeps of a person. With something
// still waiting it asks first; and nothing is cleared before a page shows that it went through.
import { post } from "./fetch.js";
import { hasLeft, leaveAlone, leaving, pageUser } from "./current-user.js";
import { notice } from "./notice.js";
import { counts, flush } from "./sync.js";
import { text } from "./texts.js";
import { subscription } from "./service-worker.js";

// In ms: how long the server may take to show that it is there.
const PATIENCE = 8_000;

const cleared = new WeakSet();

export function askBeforeSignOut() {
  document.addEventListener(
    "submit",
    (event) => {
      const form = event.target;
      if (!form.matches("[data-sign-out], [data-leaving]") || cleared.has(form)) return;
      event.preventDefault();
      ask(form, event.submitter);
    },
    // Before the form is marked as being sent.
    true,
  );
}

async function ask(form, button) {
  const left = await kept();
  if (!sum(left) || !form.matches("[data-sign-out]")) {
    await go(form, button);
    return;
  }
  const shape = document.getElementById("sign-out-shape");
  const dialog = shape.content.firstElementChild.cloneNode(true);
  const words = dialog.querySelector("[data-text]");
  words.prepend(sentences(words.dataset, left));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", async ({ target }) => {
    const choice = target.closest("[data-choice]")?.dataset.choice;
    if (choice === "leave") {
      await go(form, button);
    } else if (choice === "send") {
      target.closest("button").setAttribute("aria-busy", "true");
      await flush();
      if (sum(await kept())) {
        target.closest("button").removeAttribute("aria-busy");
        dialog.querySelector("[data-failed]").hidden = false;
      } else {
        await go(form, button);
      }
    }
  });
  document.body.append(dialog);
  dialog.showModal();
}

/** What is kept here alone: how many of each kind. */
async function kept() {
  try {
    return await counts();
  } catch {
    // Where nothing can be kept, nothing waits.
    return {};
  }
}

const sum = (left) => Object.values(left).reduce((all, count) => all + count, 0);

/** A sentence for each kind, in the words of the page: `data-taps-one`, `data-taps-other`… */
function sentences(words, left) {
  return Object.entries(left)
    .filter(([, count]) => count)
    .map(([kind, count]) =>
      `${words[kind + (count === 1 ? "One" : "Other")].replace("#", count)} `)
    .join("");
}

async function go(form, button) {
  const person = pageUser();
  try {
    if (person && form.matches("[data-sign-out]") && !(await isThere())) {
      await leaveAlone(person);
      await endPush();
      // What the page still shows goes when that has been read.
      notice(text("signedOutHere"));
      document.querySelector("dialog:last-of-type")
        ?.addEventListener("close", () => location.replace("/"));
      return;
    }
    if (person) await leaving(person);
  } catch {
    // Nothing is kept here, so nothing is to be cleared.
  }
  cleared.add(form);
  form.requestSubmit(button);
}

/** The server pushes to them until it hears that they left: this browser takes no more of it. */
async function endPush() {
  try {
    await (await subscription())?.unsubscribe();
  } catch {
    // Without a push service nothing arrives either.
  }
}

async function isThere() {
  try {
    await fetch("/healthz", {
      method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(PATIENCE),
    });
    return true;
  } catch {
    return false;
  }
}

/** Tells the server of a sign-out that it could not hear; gives whether the page is being left. */
export async function signOutLate() {
  if (!(await hasLeft())) return false;
  await post("/sign-out", new FormData());
  location.replace("/");
  return true;
}
