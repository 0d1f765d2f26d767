export { HubError } from "./errors.js";
export { findFiles } from "./find-files.js";
export { type Hub, type HubListing, openHub } from "./hub.js";
