export { type ComparedView, type CompareViewRequest, compareView } from "./compare-view.js";
export { rowLines } from "./rows.js";
export { RunList } from "./run-list.js";
export { runView } from "./run-view.js";
export { type Found, type SearchRequest, searchTrials } from "./search.js";
export { TrialFiles } from "./trial-files.js";
export { type TrialRequest, type TrialTextRequest, trialText, trialView } from "./trial-view.js";
