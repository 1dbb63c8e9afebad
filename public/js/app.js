// Entry point of every page: starts the modules that the page needs. Pages work without it.
import { preventDoubleSubmits } from "./base/forms.js";
import { growTextareas, previewImages, addPasswordToggles } from "./base/fields.js";
import { setUpMenus } from "./base/menus.js";
import { watchSignedOut } from "./base/signed-out.js";
import { reportTimeZone } from "./base/time-zone.js";
import { watchToasts } from "./base/toasts.js";
import { rememberUser, clearSignedOutUser } from "./base/current-user.js";
import { startSync } from "./base/sync.js";
import { prepareShell } from "./base/shell.js";
import { setUpSignOut, finishSignOut } from "./base/sign-out.js";
import { registerServiceWorker } from "./base/service-worker.js";
import { postSender } from "./feed/queue.js";
import { messageSender } from "./messages/queue.js";
import { senders } from "./workouts/offline-queue.js";

// Selectors, and the module that handles the elements they find.
const parts = {
  "[data-like]": "./like.js",
  "[data-composer]": "./feed/composer.js",
  "[data-waiting-posts]": "./feed/waiting-posts.js",
  "[data-follow]": "./follow.js",
  "[data-viewer-link]": "./viewer.js",
  "[data-viewer]": "./viewer-page.js",
  "[data-album]": "./album.js",
  "[data-album-selection]": "./album/selection.js",
  "[data-older]": "./older-posts.js",
  "[data-newer]": "./newer-posts.js",
  "[data-passkey]": "./passkey.js",
  "[data-push]": "./push.js",
  "[data-notice-settings]": "./notices/settings.js",
  "[data-contact-push]": "./check-in/contact-push.js",
  ".post-more": "./post-menu.js",
  "[data-timer-form]": "./check-in/timer.js",
  "[data-suggestion]": "./email-suggestion.js",
  "[data-waiting]": "./partner-waiting.js",
  "[data-opened]": "./opened.js",
  "[data-copy]": "./copy-code.js",
  "[data-dialog]": "./confirm.js",
  "[data-checkin]": "./checkin.js",
  "[data-checkin-shell]": "./checkin-shell.js",
  "[data-comes-back]": "./offline.js",
  "[data-standalone]": "./installed-app.js",
  "[data-story-text]": "./album/story-text.js",
  "[data-story-open]": "./album/story-place.js",
  "[data-story-form]": "./album/story.js",
  "[data-stories]": "./album/stories.js",
  "[data-group-live]": "./groups/live-page.js",
  "[data-conversation]": "./messages/conversation.js",
  "[data-conversations]": "./messages/list.js",
  "[data-moments]": "./moments/viewer.js",
  "[data-here]": "./groups/current-position.js",
  "[data-admin-list]": "./staff/admin-list.js",
  "[data-six-digits]": "./six-digits.js",
  "[data-decide]": "./staff/admin-decide.js",
  "[data-upload]": "./upload.js",
  "[data-invite]": "./groups/invite.js",
  "[data-scan]": "./groups/scan-code.js",
  "[data-recorder]": "./workouts/recorder/recorder.js",
  "[data-film]": "./workouts/video-cache.js",
  "[data-sign-in-note]": "./workouts/sign-in-note.js",
  "[data-trainings-shell]": "./workouts/trainings-shell.js",
  "[data-workout-detail]": "./workouts/cache-detail.js",
  "[data-workout-shell]": "./workouts/detail-shell.js",
  "[data-workouts-shell]": "./workouts/history-shell.js",
  "[data-workouts-start]": "./workouts/start-flow.js",
  "[data-unfinished]": "./workouts/unfinished-ride.js",
  "[data-workouts-waiting]": "./workouts/pending-workouts.js",
};

/** Starts the modules for the elements below `root`; also called for parts that scripts add. */
function enhance(root) {
  reportTimeZone(root);
  growTextareas(root);
  previewImages(root);
  addPasswordToggles(root);
  for (const [selector, path] of Object.entries(parts)) {
    const found = root.querySelectorAll(selector);
    if (found.length) {
      import(path).then((module) => found.forEach((element) => module.start(element)));
    }
  }
}

preventDoubleSubmits();
setUpMenus();
watchSignedOut();
watchToasts();
setUpSignOut();
enhance(document);
registerServiceWorker();
prepareShell();
// A user who signed out is cleared before anything is sent. A browser without storage fails here,
// and has nothing to send.
finishSignOut()
  .then((isLeaving) => isLeaving || clearSignedOutUser().then(rememberUser))
  .catch(() => {})
  .then((isLeaving) => isLeaving || startSync([messageSender, postSender, ...senders]));
document.addEventListener("pairspot:added", (event) => enhance(event.target));
