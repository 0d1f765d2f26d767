export { type CollectedTrials, TrialCollector } from "./collect.js";
export type { CollectedDataset } from "./datasets-of.js";
export type { FormatName, ImportedSystem } from "./format.js";
export { type OpenedResults, openResultFiles } from "./open-results.js";
export { readTrials } from "./read-trials.js";
