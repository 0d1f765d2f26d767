export { type Collected, Collector } from "./collect.js";
export type { FormatName, ImportedSystem } from "./format.js";
export { type OpenedResults, openResults } from "./open-results.js";
export { type CollectedDataset, readTrials } from "./read-trials.js";
