// One workout as a row of a list, with what can be done with it while the server doesn't have it.
import { clock } from "../base/format.js";
import { text } from "../base/texts.js";
import { saveFile } from "./csv-file.js";
import { FAILED, remove, sessionOf, SYNCED } from "./workout-store.js";
import { retry, uploadPending } from "./uploads.js";
import { figure, shortMoment, title } from "./words.js";

/** The row of a workout that is kept here. */
export function rowOf(row, trainings) {
  const { id, state, session, at, reason } = row;
  const shape = document.getElementById("workout-row").content.firstElementChild.cloneNode(true);
  const part = (name) => shape.querySelector(`[data-part=${name}]`);
  shape.dataset.clientSessionId = id;
  // As the server's rows say it.
  shape.dataset.state = state === SYNCED ? "stored" : state;
  const link = part("name");
  link.textContent = title(session, trainings);
  link.href = address(row);
  part("when").textContent = shortMoment(at);
  part("time").textContent = clock(session.duration);
  part("figure").textContent = figure(session);
  for (const mark of shape.querySelectorAll("[data-for]")) {
    mark.hidden = mark.dataset.for !== state;
  }
  for (const icon of shape.querySelectorAll("[data-machine]")) {
    icon.hidden = icon.dataset.machine !== (session.device_type ?? "other");
  }
  const words = part("reason");
  words.hidden = state !== FAILED;
  words.textContent = reason || text("refusedUnknown");
  part("actions").hidden = state === SYNCED;
  part("retry").hidden = state !== FAILED;
  part("actions").addEventListener("click", ({ target }) => act(target.closest("button"), row));
  return shape;
}

/** Where a workout is shown: by its own name until the server has given it an address. */
export function address({ id, serverID }) {
  return serverID ? `/workouts/${serverID}` : `/workouts/kept?id=${id}`;
}

/** Does what a button says with a workout that is kept here. */
export async function act(button, { user, id }) {
  switch (button?.dataset.part) {
    case "retry":
      await retry(user, id);
      await uploadPending(user);
      break;
    case "save":
      saveFile(await sessionOf(user, id));
      break;
    case "delete":
      if (await sure()) await remove(user, id);
      break;
    default:
  }
}

/** Asks before something is gone for good. */
function sure() {
  const shape = document.getElementById("workout-delete-shape");
  const dialog = shape.content.firstElementChild.cloneNode(true);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "delete");
    });
  });
}
