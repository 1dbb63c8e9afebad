// A workout as a row of a list, with actions while the server does not have it.
import { clock } from "../base/format.js";
import { text } from "../base/texts.js";
import { downloadCSV } from "./csv-file.js";
import { FAILED, removeWorkout, loadSession, SYNCED } from "./workout-store.js";
import { retryUpload, uploadPending } from "./uploads.js";
import { mainFigure, rowingPace, shortMoment, title } from "./words.js";

/** The row of a workout in this browser. */
export function workoutRow(row, trainings) {
  const { id, state, session, at, reason } = row;
  const item = document.getElementById("workout-row").content.firstElementChild.cloneNode(true);
  const part = (name) => item.querySelector(`[data-part=${name}]`);
  item.dataset.clientSessionId = id;
  // The same values as in the server's rows.
  item.dataset.state = state === SYNCED ? "stored" : state;
  const link = part("name");
  link.textContent = title(session, trainings);
  link.href = workoutURL(row);
  part("when").textContent = shortMoment(at);
  part("time").textContent = clock(session.duration);
  part("figure").textContent = mainFigure(session);
  part("pace").textContent = rowingPace(session).join(" ");
  for (const mark of item.querySelectorAll("[data-for]")) {
    mark.hidden = mark.dataset.for !== state;
  }
  for (const icon of item.querySelectorAll("[data-machine]")) {
    icon.hidden = icon.dataset.machine !== (session.device_type ?? "other");
  }
  const words = part("reason");
  words.hidden = state !== FAILED;
  words.textContent = reason || text("refusedUnknown");
  part("actions").hidden = state === SYNCED;
  part("retry").hidden = state !== FAILED;
  part("actions").addEventListener("click", ({ target }) =>
    performAction(target.closest("button"), row),
  );
  return item;
}

/** The address of a workout: one of its own until the server has given it one. */
function workoutURL({ id, serverID }) {
  return serverID ? `/workouts/${serverID}` : `/workouts/kept?id=${id}`;
}

/** Performs the action of a button. */
export async function performAction(button, { user, id }) {
  switch (button?.dataset.part) {
    case "retry":
      await retryUpload(user, id);
      await uploadPending(user);
      break;
    case "save":
      downloadCSV(await loadSession(user, id));
      break;
    case "delete":
      if (await confirmDeletion()) await removeWorkout(user, id);
      break;
    default:
  }
}

/** Asks before a workout is deleted for good. */
function confirmDeletion() {
  const template = document.getElementById("workout-delete-template");
  const dialog = template.content.firstElementChild.cloneNode(true);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "delete");
    });
  });
}
