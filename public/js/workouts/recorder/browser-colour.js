// The colour of the browser's own bars.

// The ground of the dashboard, as in recorder.css.
const GROUND = "#0E0B0A";

/** Gives the browser's own bars the colour of the dashboard, or that of other pages. */
export function darkenBrowser(isRecording) {
  for (const meta of document.querySelectorAll("meta[name=theme-color]")) {
    meta.dataset.usual ??= meta.content;
    meta.content = isRecording ? GROUND : meta.dataset.usual;
  }
}
