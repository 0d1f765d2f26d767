export { type Collected, Collector, type CountTokens } from "./collect.js";
export type { CollectedDataset } from "./datasets-of.js";
export { FORMAT_NAMES, type FormatName, type ImportedSystem, type ImportedTrial } from "./format.js";
export { type OpenedResults, openResults, type Problem } from "./open-results.js";
export { type FoundTrial, readTrials } from "./read-trials.js";
