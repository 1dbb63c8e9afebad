// Signing out is the only thing that clears what this browser keeps of a person. With something
// still waiting it asks first; and nothing is cleared before a page shows that it went through.
import { leaving, pageUser } from "./memory.js";
import { waiting } from "./outbox.js";
import { flush } from "./sending.js";

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
  const left = await count();
  if (!left || !form.matches("[data-sign-out]")) {
    await go(form, button);
    return;
  }
  const shape = document.getElementById("sign-out-shape");
  const dialog = shape.content.firstElementChild.cloneNode(true);
  const words = dialog.querySelector("[data-text]");
  words.prepend(left === 1 ? words.dataset.one : words.dataset.other.replace("#", left), " ");
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", async ({ target }) => {
    const choice = target.closest("[data-choice]")?.dataset.choice;
    if (choice === "leave") {
      await go(form, button);
    } else if (choice === "send") {
      target.closest("button").setAttribute("aria-busy", "true");
      await flush();
      if (await count()) {
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

async function count() {
  try {
    return (await waiting()).length;
  } catch {
    // Where nothing can be kept, nothing waits.
    return 0;
  }
}

async function go(form, button) {
  try {
    const person = pageUser();
    if (person) await leaving(person);
  } catch {
    // Nothing is kept here, so nothing is to be cleared.
  }
  cleared.add(form);
  form.requestSubmit(button);
}
