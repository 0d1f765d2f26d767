/** Retry rules, shared with judges. */
export * from "../core/retry.js";
