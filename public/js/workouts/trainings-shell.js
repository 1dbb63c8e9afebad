// Offline trainings: the list of the last visit with the cached videos, or one training with its
// stages under its own address.
import { onReconnect } from "../base/reconnect.js";
import { clock, number } from "../base/format.js";
import { currentUser } from "../base/current-user.js";
import { formatText, text } from "../base/texts.js";
import { cachedVideos, localPath } from "./training-videos.js";
import { storedTrainings } from "./trainings.js";

const AIMS = {
  free: "aimFree",
  resistance: "aimResistance",
  power: "aimPower",
  cadence: "aimCadence",
};

export async function start(section) {
  onReconnect(() => {
    if (location.pathname.endsWith("/offline") || /offline\/[^/]+$/.test(location.pathname)) {
      location.replace("/workouts/trainings");
    } else {
      location.reload();
    }
  });
  try {
    const person = await currentUser();
    const list = person && (await storedTrainings(person));
    const kept = list ? await cachedVideos(person) : new Set();
    show(section, list, kept);
  } catch {
    setState(section, "not-kept");
  }
}

function show(section, list, kept) {
  const asked = /\/([0-9a-f-]{36})$/i.exec(location.pathname)?.[1];
  const shown = asked ? list?.filter(({ id }) => id === asked) : list;
  if (!shown?.length) {
    setState(section, asked || !list ? "missing" : "empty");
    return;
  }
  section
    .querySelector("[data-list]")
    .replaceChildren(...shown.map((one) => card(one, kept.has(one.id), Boolean(asked))));
  setState(section, "ready");
}

function setState(section, name) {
  section.dataset.state = name;
  for (const part of section.querySelectorAll("[data-when-state]")) {
    part.hidden = !part.dataset.whenState.split(" ").includes(name);
  }
}

function card(training, isKept, isAlone) {
  const item = document.getElementById("training-card").content.firstElementChild.cloneNode(true);
  const part = (name) => item.querySelector(`[data-part=${name}]`);
  item.dataset.id = training.id;
  const link = part("name");
  link.textContent = training.name;
  link.href = `/workouts/trainings/${training.id}`;
  const { duration, stages: parts } = training;
  // Rounded as on the server: never 0 for a training with stages.
  const minutes = parts.length ? Math.max(1, Math.floor((duration + 30) / 60)) : 0;
  const words = [
    counted("minutes", minutes),
    text(training.difficulty),
    counted("stages", parts.length),
  ];
  if (isKept) words.push(text("filmKept"));
  part("summary").textContent = words.join(" · ");
  part("about").textContent = training.description;
  part("start").href = `/workouts/record?training=${training.id}`;
  showMedia(part, training, isKept && isAlone);
  if (isAlone) showStages(part("stages"), training.stages);
  return item;
}

function counted(name, count) {
  return formatText(count === 1 ? `${name}One` : name, number(count));
}

function showMedia(part, training, plays) {
  const [cover, film] = [part("cover"), part("film")];
  film.hidden = !plays;
  cover.hidden = plays || !training.cover_url;
  if (plays) film.src = localPath(training.video_url);
  else if (training.cover_url) {
    cover.src = localPath(training.cover_url);
    // Hides a cover that is not cached.
    cover.addEventListener("error", () => (cover.hidden = true), { once: true });
  }
}

function showStages(list, all) {
  list.hidden = !all.length;
  list.replaceChildren(
    ...all.map(({ seconds, target, value, text: words }) => {
      const item = document.createElement("li");
      const aim = text(AIMS[target]).replace("#", value ?? "");
      item.textContent = [clock(seconds), aim, words].filter(Boolean).join(" · ");
      return item;
    }),
  );
}
