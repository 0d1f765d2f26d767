export { compareView } from "./compare-view.js";
export { QueueFile, workersNow } from "./queue-view.js";

export { rowLines } from "./rows.js";
export { RunList, takingTurns } from "./run-list.js";
export { lookAt, namesIn } from "./run-list-folder.js";

export { isRunSort, MAX_RUNS, RUN_SORTS, STATUSES } from "./run-query.js";
export { runView } from "./run-view.js";
export { searchTrials } from "./search.js";
export { TrialFiles } from "./trial-files.js";
export { trialText, trialView } from "./trial-view.js";
