// Starts what the page at hand needs. Every page works without any of this.
import { busyForms } from "./base/forms.js";
import { growingFields, previews, reveals } from "./base/fields.js";
import { menus } from "./base/menus.js";
import { signedOut } from "./base/signed-out.js";
import { zone } from "./base/time-zone.js";
import { watchToast } from "./base/toasts.js";
import { meet, settle } from "./base/current-user.js";
import { keepSending } from "./base/sync.js";
import { dressShell } from "./base/shell.js";
import { askBeforeSignOut, signOutLate } from "./base/sign-out.js";
import { worker } from "./base/service-worker.js";
import { couriers } from "./workouts/offline-queue.js";

// Each selector, and the module that takes care of the elements that it finds.
const parts = {
  "[data-like]": "./like.js",
  "[data-composer]": "./composer.js",
  "[data-follow]": "./follow.js",
  "[data-viewer-link]": "./viewer.js",
  "[data-viewer]": "./viewer-page.js",
  "[data-album]": "./album.js",
  "[data-older]": "./older-posts.js",
  "[data-newer]": "./newer-posts.js",
  "[data-push]": "./push.js",
  "[data-waiting]": "./partner-waiting.js",
  "[data-copy]": "./copy-code.js",
  "[data-dialog]": "./confirm.js",
  "[data-checkin]": "./checkin.js",
  "[data-checkin-shell]": "./checkin-shell.js",
  "[data-comes-back]": "./offline.js",
  "[data-standalone]": "./installed-app.js",
  "[data-story-text]": "./album/story-text.js",
  "[data-story-form]": "./album/story.js",
  "[data-stories]": "./album/stories.js",
  "[data-group-live]": "./groups/live-page.js",
  "[data-here]": "./groups/current-position.js",
  "[data-desk]": "./admin-list.js",
  "[data-upload]": "./upload.js",
  "[data-invite]": "./groups/invite.js",
  "[data-scan]": "./groups/scan-code.js",
  "[data-recorder]": "./workouts/recorder.js",
  "[data-film]": "./workouts/video-cache.js",
  "[data-sign-in-note]": "./workouts/sign-in-note.js",
  "[data-trainings-shell]": "./workouts/trainings-shell.js",
  "[data-workout-detail]": "./workouts/cache-detail.js",
  "[data-workout-shell]": "./workouts/detail-shell.js",
  "[data-workouts-shell]": "./workouts/history-shell.js",
  "[data-workouts-start]": "./workouts/start-flow.js",
  "[data-workouts-waiting]": "./workouts/pending-workouts.js",
};

/** Brings what stands in `root` to life; also called for what a script has put into the page. */
export function enhance(root) {
  zone(root);
  growingFields(root);
  previews(root);
  reveals(root);
  for (const [selector, path] of Object.entries(parts)) {
    const found = root.querySelectorAll(selector);
    if (found.length) {
      import(path).then((module) => found.forEach((element) => module.start(element)));
    }
  }
}

busyForms();
menus();
signedOut();
watchToast();
askBeforeSignOut();
enhance(document);
worker();
dressShell();
// Who has signed out is forgotten before anything is sent. A browser that keeps nothing fails here,
// and has nothing to send.
signOutLate()
  .then((isLeaving) => isLeaving || settle().then(meet))
  .catch(() => {})
  .then((isLeaving) => isLeaving || keepSending(couriers));
document.addEventListener("pairspot:added", (event) => enhance(event.target));
