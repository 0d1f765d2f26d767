/** Reports: tables, Markdown, JSON, JUnit, timelines, and the data of the dashboard. */

export { toAtif } from "./atif.js";
export { cutComment, formatCommentMarker, formatHeadline } from "./comment.js";
export {
  buildCompareReport,
  type CompareOutcome,
  type ComparisonGate,
  describeDrops,
  describeRegressions,
  type GateMessages,
  renderCompareJunit,
  renderCompareMarkdown,
  renderCompareText,
} from "./compare.js";
export { type CostReport, hasNoCosts, type OtherCosts, SystemBill } from "./cost/report.js";
export { renderCosts } from "./cost/text.js";
export { buildRunCard, writeCard } from "./dashboard/cards.js";
export { MAX_EXCERPT_EXAMPLES, MAX_EXCERPT_TRIALS } from "./dashboard/choose-trial.js";
export type {
  CompareView,
  ExampleExcerpts,
  LabelAccess,
  LabelView,
  LiveProgress,
  QueueView,
  RunCard,
  RunListQuery,
  RunPage,
  RunStatus,
  RunView,
  TrialExcerpts,
  TrialView,
} from "./dashboard/contract.js";
export { isEvalRun, readGraderDetails } from "./dashboard/evals-view.js";
export { readExcerpts, readTrialExcerpts } from "./dashboard/excerpts.js";
export { htmlReporter } from "./dashboard/html-report.js";
export { buildLabelView } from "./dashboard/label-view.js";
export { countActiveWorkers, QueueFile } from "./dashboard/queue-view.js";
export { serializeRowLines } from "./dashboard/rows.js";
export { createYielder, inspectRunFolder, listFolderNames, RunList } from "./dashboard/run-list.js";
export { isRunSort, MAX_RUNS, RUN_SORTS, STATUSES } from "./dashboard/run-query.js";
export { buildCompareView, buildRunView } from "./dashboard/run-view.js";
export { searchTrials } from "./dashboard/search.js";
export { TrialFiles } from "./dashboard/trial-files.js";
export { loadTrialView, readTrialText } from "./dashboard/trial-view.js";
export { describeDecisionCost } from "./decision-cost.js";
export { toTrialDiffJson } from "./diff/json.js";
export { renderTrialDiff } from "./diff/text.js";
export { type DiffedTrial, diffTrials, hasNothingToAlign } from "./diff/trial-diff.js";
export type { EvalPart, GateResult, SkillLine, StimulusLine, TriggerScore } from "./eval/eval-part.js";
export { type EvalReport, evalReport, resolveGateKey } from "./eval/eval-report.js";
export { formatGateResult, renderEvalMarkdown } from "./eval/eval-text.js";
export { type EvalSection, renderEvalsJunit, renderEvalsMarkdown } from "./eval/evals-report.js";
export { type EvidenceReader, renderJunitXml } from "./eval/junit.js";
export { evalReporter, junitReporter, markdownReporter } from "./eval/reporters.js";
export { buildExperimentReport } from "./experiment.js";
export type { ExperimentReport } from "./experiment-figures.js";
export { renderExperimentMarkdown } from "./experiment-markdown.js";
export {
  formatBytes,
  formatDollars,
  formatNumber,
  formatPlural,
  formatSeconds,
  formatShare,
  getMeasured,
  replaceControlCharacters,
} from "./format.js";
export { renderHistoryAdjustments } from "./history-adjustment.js";
export { buildReportHead, jsonReporter } from "./json.js";
export { renderLabelCorrections } from "./label-correction.js";
export { createLayout, type Layout, type Screen } from "./layout.js";
export { type TableColumn, toOneLine } from "./markdown.js";
export {
  describeMigrationVerdict,
  type FlippedExample,
  type MigrationReport,
  renderMigrationHtml,
  renderMigrationJunit,
  renderMigrationMarkdown,
  renderMigrationText,
} from "./migration.js";
export { RunResult } from "./result.js";
export { summarizeSequential } from "./sequential.js";
export { formatTrialName, renderTrial, renderTrialTable } from "./show-trial.js";
export { toReportedVariant } from "./stored-experiment.js";
export { renderStrata } from "./strata.js";
export { summaryReporter } from "./summary.js";
export { checkColumns, tableReporter } from "./table.js";
export { COLUMN_GROUPS } from "./table-columns.js";
export { cutColumns, wrapText } from "./text-block.js";
export { readTrajectory } from "./timeline.js";
