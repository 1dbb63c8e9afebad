// Records a voice note into the form's own file field, so that it is sent like a chosen file.
import { fileList } from "../base/chosen-files.js";
import { showNotice } from "../base/notice.js";
import { text } from "../base/texts.js";

// The longest voice note, in ms. The server allows half a second more, since a recorder stops late.
const LONGEST = 120_000;
const TICK = 250;
const BITS_PER_SECOND = 32_000;
// The first that the browser records: Opus where it can, AAC on Apple's.
const TYPES = ["audio/webm;codecs=opus", "audio/mp4", "audio/ogg;codecs=opus"];

/** Starts the recorder of a form, if it has one. A browser that can't record keeps the file field. */
export function startRecorder(form) {
  if (form.querySelector("[data-recorder-panel]")) new VoiceRecorder(form);
}

/** A duration in ms as "1:07". */
export function clock(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

class VoiceRecorder {
  constructor(form) {
    this.field = form.elements.voice;
    this.button = form.querySelector("[data-record]");
    const panel = form.querySelector("[data-recorder-panel]");
    this.panel = panel;
    this.recording = panel.querySelector("[data-recording]");
    this.time = panel.querySelector("[data-recorded-time]");
    this.player = panel.querySelector("[data-recorded]");
    this.stopButton = panel.querySelector("[data-record-stop]");
    this.type =
      globalThis.MediaRecorder && TYPES.find((type) => MediaRecorder.isTypeSupported(type));
    const canRecord = Boolean(this.type && navigator.mediaDevices?.getUserMedia);
    this.button.hidden = !canRecord;
    form.querySelector("[data-voice-pick]").hidden = canRecord;
    this.button.addEventListener("click", () => this.record());
    this.stopButton.addEventListener("click", () => this.stop());
    panel.querySelector("[data-record-discard]").addEventListener("click", () => this.discard());
    form.addEventListener("submit", (event) => {
      if (!this.recorder) return;
      // What is being recorded is not sent unheard.
      event.preventDefault();
      event.stopImmediatePropagation();
      this.stop();
    });
    this.field.addEventListener("change", () => this.show());
    form.addEventListener("reset", () => setTimeout(() => this.show()));
    const onLeave = () => this.cancel();
    addEventListener("pagehide", onLeave);
    const onAdded = () => {
      if (form.isConnected) return;
      this.cancel();
      removeEventListener("pagehide", onLeave);
      document.removeEventListener("pairspot:added", onAdded);
    };
    document.addEventListener("pairspot:added", onAdded);
    this.show();
  }

  async record() {
    if (this.isAsking || this.recorder) return;
    this.isAsking = true;
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      this.stream = stream;
      if (this.panel.isConnected) this.begin(stream);
      else this.end();
    } catch (failure) {
      this.end();
      showNotice(text(noticeFor(failure)));
    } finally {
      this.isAsking = false;
    }
  }

  begin(stream) {
    const chunks = [];
    const recorder = new MediaRecorder(stream, {
      mimeType: this.type,
      audioBitsPerSecond: BITS_PER_SECOND,
    });
    recorder.ondataavailable = ({ data }) => {
      if (!data.size) return;
      chunks.push(data);
      // A microphone may need a moment to start: the time counts from its first sound.
      if (recorder.state === "recording") this.startedAt ??= performance.now() - TICK;
    };
    recorder.onstop = () => {
      // A recording that was discarded.
      if (this.recorder !== recorder) return;
      // Without sound the file has a header only.
      const hasSound = this.startedAt !== undefined;
      this.end();
      if (hasSound) this.keep(chunks);
      else showNotice(text("voiceFailed"));
      this.show();
      if (!this.player.hidden) this.player.focus();
    };
    recorder.onerror = () => {
      this.cancel();
      this.show();
      showNotice(text("voiceFailed"));
    };
    this.recorder = recorder;
    recorder.start(TICK);
    this.ticking = setInterval(() => this.tick(), TICK);
    this.tick();
    this.show();
    this.stopButton.focus();
  }

  tick() {
    const passed = this.startedAt === undefined ? 0 : performance.now() - this.startedAt;
    this.time.textContent = clock(passed);
    if (passed >= LONGEST) this.stop();
  }

  stop() {
    if (this.recorder?.state === "recording") this.recorder.stop();
  }

  /** Stops without keeping anything. */
  cancel() {
    const { recorder } = this;
    this.end();
    if (recorder?.state === "recording") recorder.stop();
  }

  /** Gives the microphone back. */
  end() {
    clearInterval(this.ticking);
    for (const track of this.stream?.getTracks() ?? []) track.stop();
    this.stream = this.recorder = this.startedAt = undefined;
    // Not the time of the last recording, while the microphone starts again.
    this.time.textContent = clock(0);
  }

  /** Puts the recording into the file field. */
  keep(chunks) {
    const type = this.type.split(";")[0];
    const name = `voice.${type === "audio/mp4" ? "m4a" : type.split("/")[1]}`;
    this.field.files = fileList([new File(chunks, name, { type })]);
  }

  discard() {
    this.cancel();
    this.field.value = "";
    this.show();
    if (!this.button.hidden) this.button.focus();
  }

  /** Shows the state: nothing, recording, or a voice note to listen to. */
  show() {
    const isRecording = Boolean(this.recorder);
    const file = this.field.files[0];
    this.panel.hidden = !isRecording && !file;
    this.recording.hidden = this.stopButton.hidden = !isRecording;
    this.player.hidden = isRecording || !file;
    this.button.disabled = isRecording;
    if (this.shown === file) return;
    this.shown = file;
    if (this.player.src) URL.revokeObjectURL(this.player.src);
    if (file) this.player.src = URL.createObjectURL(file);
    else this.player.removeAttribute("src");
  }
}

/** The text for a microphone that could not be opened. */
function noticeFor(failure) {
  if (failure.name === "NotAllowedError" || failure.name === "SecurityError") return "voiceDenied";
  return failure.name === "NotFoundError" ? "voiceMissing" : "voiceFailed";
}
