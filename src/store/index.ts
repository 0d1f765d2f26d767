/** Run folders, the output cache, and SQL over stored runs. */
export type { TrialLabel, TrialLabelDraft } from "./contract.js";
export {
  decodeStoredExample,
  EXAMPLES_FILE,
  encodeExampleKey,
  isShortenedText,
  readExampleIndex,
  readExamples,
  type StoredExample,
} from "./examples.js";
export { readGitRevision } from "./git.js";
export { streamCsv } from "./history/csv.js";
export type { JsonValue } from "./history/json-values.js";
export {
  type QueryAnswer,
  type QueryColumn,
  type QueryOptions,
  type QueryResult,
  type QueryRow,
  runQuery,
} from "./history/query.js";
export { queryRuns } from "./history/query-runs.js";
export { QueryStopped } from "./history/query-stopped.js";
export { type TestRun, writeTestRun } from "./history/run-testing.js";
export { formatSchema } from "./history/schema.js";
export { listStoredRuns } from "./history/stored-runs.js";
export { type CountedRun, readTaskRates } from "./history/task-rates.js";
export type { TextPieces } from "./history/write-pieces.js";
export { type CollectedDataset, type CollectedTrials, listImportNotes, TrialCollector } from "./import/collect.js";
export { FORMAT_NAMES, FORMAT_TITLES, type FormatName, type ImportedSystem } from "./import/format.js";
export { type OpenedResults, openResultFiles, readTrials } from "./import/open-results.js";
export { RUN_FILES, RunJournal, readManifest, readMoney, readRows } from "./journal.js";
export { readLabelPlan, writeLabelPlan } from "./label-plan.js";
export {
  addTags,
  BASELINE_TAG,
  checkTag,
  clearBaseline,
  LABELS_FILE,
  LATEST_NAME,
  readLabels,
  removeTags,
  renameRun,
} from "./labels.js";
export { isRunLocked, lockRun } from "./lock.js";
export { listPlanDifferences, type Manifest, type PlanIdentity, RUN_SCHEMA, type SystemRecord } from "./manifest.js";
export { buildPlanIdentity, createRowLookup, type OpenRun, openRunStore, type RowLookup } from "./open-run.js";
export { FileOutputCache } from "./output-cache.js";
export { decodeStoredLine, readOutput, readOutputs, type StoredOutput } from "./outputs.js";
export {
  type CountedRows,
  checkQuarantineReason,
  QUARANTINE_FILE,
  type QuarantinedTrial,
  readQuarantine,
  splitQuarantined,
  writeQuarantine,
} from "./quarantine.js";
export {
  decodeRow,
  encodeAloneInPieces,
  encodeKey,
  encodeOutputAlone,
  encodeRow,
  encodeTrial,
  encodeUngraded,
  hasLargeText,
  LARGE_OUTPUT_CHARS,
} from "./row-codec.js";
export { sortRowsByPlan } from "./row-order.js";
export { openRunFile, readRunFile, readRunLines } from "./run-file.js";
export {
  createRunId,
  findBaseline,
  findLatestRun,
  findNamedRuns,
  findRun,
  isRunFolder,
  makeRunDir,
} from "./run-folder.js";
export { countFinishedTrials, hasRunEnded, readSummary, type StoredSummary } from "./summary-file.js";
export {
  appendTrialLabel,
  readTrialLabels,
  TRIAL_LABEL_SCHEMA,
  TRIAL_LABELS_FILE,
  trialLabelDraftSchema,
} from "./trial-labels.js";
