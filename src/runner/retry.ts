/** The rules for making a failed call again, which judges follow as well. */
export * from "../core/retry.js";
