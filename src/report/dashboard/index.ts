export { countActiveWorkers, QueueFile } from "./queue-view.js";
export { serializeRowLines } from "./rows.js";
export { createYielder, inspectRunFolder, listFolderNames, RunList } from "./run-list.js";
export { isRunSort, MAX_RUNS, RUN_SORTS, STATUSES } from "./run-query.js";
export { buildCompareView, buildRunView } from "./run-view.js";
export { searchTrials } from "./search.js";
export { TrialFiles } from "./trial-files.js";
export { loadTrialView, readTrialText } from "./trial-view.js";
