// The page of a workout: saves its measurements, so that the page opens without a network too.
import { pageUser } from "../base/current-user.js";
import { getJSON, SyncError } from "./api.js";
import { fetchEpoch } from "./history.js";
import { findWorkout, saveRecording, loadSession, StorageFailure } from "./workout-store.js";

export async function start(place) {
  const person = pageUser();
  const id = location.pathname.split("/").at(-1);
  if (!person) return;
  try {
    const row = await findWorkout(person, place.dataset.clientSessionId);
    if (row && (await loadSession(person, row.id)).detail.samples) return;
    if (!(await fetchEpoch(person))) return;
    await saveRecording(person, await getJSON(`/sessions/${id}`));
  } catch (failure) {
    // The page works without it; offline it shows less.
    if (!(failure instanceof SyncError || failure instanceof StorageFailure)) throw failure;
  }
}
