/** Records model calls, and answers them from recordings. */
export { type RecordTrafficOptions, recordTraffic } from "./record-traffic.js";
export { RecordedAnswers } from "./recorded-answers.js";
export { type ReplayTrafficOptions, replayTraffic } from "./replay-traffic.js";
export { findReplayedPart, REPLAYED_NOTE, type Traffic } from "./traffic.js";
