export { HubError } from "./errors.js";
export { findFiles } from "./find-files.js";
export type { Hub, HubFile, HubListing, HubOptions } from "./hub.js";
export { openHub } from "./open-hub.js";
