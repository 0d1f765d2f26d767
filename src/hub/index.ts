export { HubError } from "./errors.js";
export { findFiles } from "./find-files.js";
export type { Hub, HubListing, HubOptions } from "./hub.js";
export { openHub } from "./open-hub.js";
