export { mergeWireEvents } from "./merge.js";
export { WireTimeline } from "./timeline.js";
