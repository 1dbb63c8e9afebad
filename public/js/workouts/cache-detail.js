// On the page of a workout: keeps what was measured, so that the page opens without a network too.
import { pageUser } from "../base/current-user.js";
import { read, Stop } from "./api.js";
import { learnEpoch } from "./history.js";
import { find, keepRecording, sessionOf, StorageFailure } from "./workout-store.js";

export async function start(place) {
  const person = pageUser();
  const id = location.pathname.split("/").at(-1);
  if (!person) return;
  try {
    const row = await find(person, place.dataset.clientSessionId);
    if (row && (await sessionOf(person, row.id)).detail.samples) return;
    if (!(await learnEpoch(person))) return;
    await keepRecording(person, await read(`/sessions/${id}`));
  } catch (failure) {
    // It can be looked at all the same; without a network it is less.
    if (!(failure instanceof Stop || failure instanceof StorageFailure)) throw failure;
  }
}
