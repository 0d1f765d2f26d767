export { compareView } from "./compare-view.js";
export { QueueFile } from "./queue-file.js";
export { workersNow } from "./queue-view.js";
export { rowLines } from "./rows.js";
export { RunList } from "./run-list.js";
export { runView } from "./run-view.js";
export { searchTrials } from "./search.js";
export { TrialFiles } from "./trial-files.js";
export { trialText, trialView } from "./trial-view.js";
