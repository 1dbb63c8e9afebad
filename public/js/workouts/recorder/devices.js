// The machine and the heart-rate sensor. The recorder loads them when one is connected, so that its
// page shows sooner.
import { FTMSDevice } from "./ftms-device.js";
import { HeartRateSensor } from "./heart-rate-sensor.js";

export { FTMSDevice, HeartRateSensor };
