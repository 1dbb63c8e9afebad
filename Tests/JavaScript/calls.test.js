import assert from "node:assert/strict";
import { cases } from "./support/cases.js";
import { replaces } from "../../public/js/groups/calls.js";

const call = (kind, user_id) => ({ kind, user_id });

cases(
  "A call replaces",
  {
    "a leader's call of before": [call("rest", "lea"), call("gather", "lea"), true],
    "no alarm, as a leader's call": [call("rest", "lea"), call("need_help", "fay"), false],
    "the same alarm": [call("need_help", "fay"), call("need_help", "fay"), true],
    "no alarm of another member": [call("need_help", "fay"), call("need_help", "gil"), false],
    "the alarm of a member who is OK": [call("is_ok", "fay"), call("need_help", "fay"), true],
    "no alarm of another, as OK": [call("is_ok", "fay"), call("need_help", "gil"), false],
    "no leader's call, as OK": [call("is_ok", "fay"), call("gather", "lea"), false],
    "that a member is OK, as an alarm": [call("need_help", "fay"), call("is_ok", "fay"), true],
    "no emergency, as OK": [call("is_ok", "lea"), call("emergency", "lea"), false],
  },
  (event, other, isReplaced) => assert.equal(replaces(event, other), isReplaced),
);
