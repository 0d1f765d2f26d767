export type { CollectedDataset } from "./collect.js";
export { type CollectedTrials, TrialCollector } from "./collect.js";
export type { FormatName, ImportedSystem } from "./format.js";
export { type OpenedResults, openResultFiles, readTrials } from "./open-results.js";
