// Signing out, the only thing that clears what this browser keeps of a user. It asks first if
// something is not sent yet, and nothing is cleared before a page shows that it is done.
import { isReachable, post } from "./fetch.js";
import { hasSignedOutOffline, signOutOffline, markSigningOut, pageUser } from "./current-user.js";
import { showNotice } from "./notice.js";
import { unsentCounts, flush } from "./sync.js";
import { text } from "./texts.js";
import { closeNotifications, pushSubscription } from "./service-worker.js";

const confirmed = new WeakSet();

export function setUpSignOut() {
  document.addEventListener(
    "submit",
    (event) => {
      const form = event.target;
      if (!form.matches("[data-sign-out], [data-leaving]") || confirmed.has(form)) return;
      event.preventDefault();
      confirmAndSignOut(form, event.submitter);
    },
    // Runs before the form is marked as being sent.
    true,
  );
}

async function confirmAndSignOut(form, button) {
  const left = await unsent();
  if (!total(left) || !form.matches("[data-sign-out]")) {
    await signOut(form, button);
    return;
  }
  const template = document.getElementById("sign-out-template");
  const dialog = template.content.firstElementChild.cloneNode(true);
  const words = dialog.querySelector("[data-text]");
  words.prepend(describe(words.dataset, left));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", async ({ target }) => {
    const choice = target.closest("[data-choice]")?.dataset.choice;
    if (choice === "leave") {
      await signOut(form, button);
    } else if (choice === "send") {
      target.closest("button").setAttribute("aria-busy", "true");
      await flush();
      if (total(await unsent())) {
        target.closest("button").removeAttribute("aria-busy");
        dialog.querySelector("[data-failed]").hidden = false;
      } else {
        await signOut(form, button);
      }
    }
  });
  document.body.append(dialog);
  dialog.showModal();
}

/** Counts of what exists in this browser alone, by kind. */
async function unsent() {
  try {
    return await unsentCounts();
  } catch {
    // Without storage nothing waits.
    return {};
  }
}

const total = (left) => Object.values(left).reduce((all, count) => all + count, 0);

/** A sentence for each kind, from the texts `data-taps-one`, `data-taps-other`… */
function describe(words, left) {
  return Object.entries(left)
    .filter(([, count]) => count)
    .map(([kind, count]) => `${words[kind + (count === 1 ? "One" : "Other")].replace("#", count)} `)
    .join("");
}

async function signOut(form, button) {
  const person = pageUser();
  const isOffline = person && !(await isReachable());
  if (isOffline && form.matches("[data-leaving]")) {
    // The account stays, so nothing is noted that would clear its data later.
    showNotice(text("offline"));
    return;
  }
  await closeNotifications();
  try {
    if (isOffline) {
      await signOutOffline(person);
      await unsubscribePush();
      // The page is left once the message has been read.
      showNotice(text("signedOutHere"));
      document
        .querySelector("dialog:last-of-type")
        ?.addEventListener("close", () => location.replace("/"));
      return;
    }
    if (person) await markSigningOut(person);
  } catch {
    // Nothing is stored here, so nothing has to be cleared.
  }
  confirmed.add(form);
  form.requestSubmit(button);
}

/** Ends push here: the server goes on sending until it learns of the sign-out. */
async function unsubscribePush() {
  try {
    await (await pushSubscription())?.unsubscribe();
  } catch {
    // Without a push service nothing arrives either.
  }
}

/** Tells the server about a sign-out that it missed. Gives whether the page is being left. */
export async function finishSignOut() {
  if (!(await hasSignedOutOffline())) return false;
  await post("/sign-out", new FormData());
  location.replace("/");
  return true;
}
