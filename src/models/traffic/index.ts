export { recordTraffic } from "./record-traffic.js";
export { replayTraffic } from "./replay-traffic.js";
export { REPLAYED_NOTE, type Traffic } from "./traffic.js";
