// The words of a post that was not sent, in the browser's database.
import { loadValue, pageUser, saveValue } from "../base/current-user.js";

const DRAFT = "post-draft";
// How long the user pauses before the words are saved, in ms.
const PAUSE = 500;
let saving;

/** Saves the words while they are typed, and restores those of the last visit. */
export async function keepDraft(words, open) {
  const person = pageUser();
  if (!person) return;
  words.addEventListener("input", () => {
    clearTimeout(saving);
    saving = setTimeout(() => saveDraft(words.value), PAUSE);
  });
  const saved = words.value ? undefined : await loadValue(person, DRAFT).catch(() => undefined);
  if (!saved || words.value) return;
  words.value = saved;
  words.dispatchEvent(new Event("input"));
  open();
}

/** Saves the words; without any there is no draft. */
export function saveDraft(words) {
  clearTimeout(saving);
  const person = pageUser();
  // Without storage there is no draft.
  return person && saveValue(person, DRAFT, words || null).catch(() => {});
}
