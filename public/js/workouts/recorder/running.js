// What runs and saves a recording. The recorder loads it when one begins or ends, so that its page
// shows sooner.
import { Dashboard } from "./dashboard.js";
import { FTMSDevice, HeartRateSensor } from "./devices.js";
import { mayRecord } from "./may-record.js";
import { recoverRide, startRide, toSession } from "./recording.js";
import { askForValues, showSummary, unmeasured } from "./results.js";
import { RideSession } from "./ride-session.js";
import { saveWorkout } from "./save.js";

export {
  askForValues,
  Dashboard,
  FTMSDevice,
  HeartRateSensor,
  mayRecord,
  recoverRide,
  RideSession,
  saveWorkout,
  showSummary,
  startRide,
  toSession,
  unmeasured,
};
