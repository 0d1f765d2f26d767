import "./builtins.js";
import { registerJudgeGraders } from "./graders/judge/register-judge-graders.js";

// What a program that imports the package finds registered. The command line loads graders only where there are some.
registerJudgeGraders();

export { AGENT_NAMES, type AgentName, AgentSystem, type AgentSystemOptions } from "./agents/index.js";
export { type AgentOptions, openAgent } from "./agents/open-agent.js";
export {
  type Gateway,
  type GatewayBudget,
  type GatewayOptions,
  type GatewayRequest,
  type PriceOf,
  type Receipt,
  type ReceiptLine,
  startGateway,
} from "./budget/gateway/index.js";
export {
  type BudgetRule,
  type Budgets,
  bundledPrice,
  CostBudget,
  type CostBudgetOptions,
  costOf,
  dollars,
  type FileProblem,
  loadModels,
  type ModelEntry,
  type ModelsFile,
  ModelsFileError,
  type PriceOrigin,
  type PriceQuery,
  type Pricing,
  priceFrom,
  type ResolvedBudgets,
  RunBudget,
  type RunBudgetOptions,
  resolveBudgets,
  type SettleOptions,
} from "./budget/index.js";
export { defineConfig, type JudgeConfig, type ModelConfig, type RunConfig } from "./cli/run-config.js";
export {
  type Dataset,
  type DatasetDefinition,
  type DatasetGate,
  type DatasetJudging,
  type DatasetOrigin,
  type DownloadProgress,
  type LoadedExamples,
  type LoadOptions,
  makeDataset,
  type RunTerms,
} from "./core/dataset.js";
export type {
  Environment,
  EnvironmentFile,
  FileChange,
  McpServer,
  OfferedSkill,
  WorkspaceChanges,
  WorkspaceState,
} from "./core/environment.js";
export * from "./core/errors.js";
export type {
  Evaluator,
  ScoreContext,
  Scored,
  ScoredWithEvidence,
  ScoreMeter,
  Scores,
  ScoringCost,
} from "./core/evaluator.js";
export type { Example, ExampleSource, Turn } from "./core/example.js";
export { canonicalJson, digest, fingerprintOf } from "./core/fingerprint.js";
export type { Grade, Graded, Grader, GraderFactory, GraderSpec, Verdict } from "./core/grader.js";
export type { Comparison, Estimate, Metric, MetricContext, MetricRun } from "./core/metric.js";
export type { Limits, Price, PriceTier, TokenPrices } from "./core/price.js";
export {
  type Factory,
  type Permissions,
  type RegisteredDataset,
  Registry,
  type RegistryKind,
  type RegistryKinds,
  type Reporter,
  type ReportOptions,
  registerDataset,
  registry,
} from "./core/registry.js";
export type {
  DatasetConfig,
  EvalConfig,
  EvalResult,
  JsonReport,
  JsonSummary,
  RowFilter,
  Summary,
  Timing,
} from "./core/result.js";
export {
  type Attempt,
  type CostSource,
  ERROR_CATEGORIES,
  type ErrorCategory,
  type EvalRow,
  type Facets,
  type FacetValue,
  hasOutput,
  isScored,
  makeRow,
  OUTCOMES,
  type Outcome,
  scoreOf,
} from "./core/row.js";
export type {
  Bill,
  MeteredTotal,
  Output,
  StopReason,
  System,
  TrialBudget,
  TrialContext,
  Usage,
} from "./core/system.js";
export type { Tokenizer } from "./core/tokenizer.js";
export type { AgentEvent, AgentHappening, Trajectory, TrajectoryEvent } from "./core/trajectory.js";
export { VERSION } from "./core/version.js";
export { catalogue } from "./datasets/catalog/catalogue.js";
export type {
  CatalogueEntry,
  Configs,
  ExampleFields,
  HubSource,
  LineColumns,
  RowContext,
} from "./datasets/catalog/entry.js";
export {
  generateNeedles,
  type NeedleExample,
  type NeedleOptions,
} from "./datasets/generate-needles.js";
export { HubError } from "./datasets/hub/errors.js";
export type { HubOptions } from "./datasets/hub/hub.js";
export {
  FILE_EXTENSIONS,
  type LoadFilesOptions,
  loadFile,
  loadFiles,
  type NamedFiles,
} from "./datasets/index.js";
export { type LoadDatasetOptions, loadDataset } from "./datasets/load-dataset.js";
export {
  type EvalLimits,
  type Experiment,
  ExperimentError,
  type ExperimentPlan,
  type ExperimentRecord,
  loadExperiment,
  type PlanExperimentOptions,
  type PlannedEval,
  type PlannedSystem,
  type PlannedTrials,
  planExperiment,
  type RecordedVariant,
  type Setting,
  type Shard,
  type SpecReader,
  type StimulusName,
  type Variant,
  type VariantPlan,
} from "./evals/experiment/index.js";
export {
  type Finding as LintFinding,
  LINT_RULES,
  type LintCode,
  type LintOptions,
  type LintReport,
  type LintRule,
  lint,
} from "./evals/lint/index.js";
export {
  type CheckedStimulus,
  isSurvivor,
  type LeftOut,
  type OracleProgress,
  type OracleTask,
  oracleTasks,
  runOracle,
  type StateVerdict,
  type StimulusCheck,
  type StimulusPlace,
  type TriedOmission,
} from "./evals/oracle/index.js";
export {
  datasetOf,
  type EvalSpec,
  type EvalSuite,
  type EvalsConfig,
  findSpecs,
  type LoadSpecOptions,
  loadSpec,
  matchesTags,
  type SharedEnvironment,
  type SkillUnderTest,
  type SpecDefaults,
  SpecError,
  type Stimulus,
} from "./evals/spec/index.js";
export { type EvaluateOptions, evaluate } from "./evaluate.js";
export {
  type EvaluateMemoryOptions,
  evaluateMemory,
  loadMemoryDataset,
  type MemoryDataset,
} from "./evaluate-memory.js";
export * from "./evaluators/index.js";
export {
  describeIsolation,
  type Isolation,
  openSandbox,
  type Program,
  type ProgramResult,
  type RunOptions,
  type Sandbox,
  type SandboxLimits,
  type SandboxOptions,
} from "./exec/sandbox/index.js";
export { GraderError, GraderEvaluator, type GraderEvaluatorOptions, graderFactories } from "./graders/index.js";
export {
  type BadLabel,
  type CalibrateOptions,
  type Calibration,
  type CalibrationProgress,
  calibrateJudge,
  type Finding,
  findingsOf,
  type JudgeAgreement,
  type JudgeAnswer,
  JudgeError,
  type JudgeModel,
  type JudgeModelSource,
  type Judgement,
  type JudgeRequest,
  type JudgeScale,
  type JudgeVote,
  type LabelRow,
  type LengthBias,
  LLMJudge,
  type LLMJudgeOptions,
  type PairLengthBias,
  type PanelRule,
  type PositionBias,
} from "./graders/judge/index.js";
export { type JudgeModelPlace, registerJudgeGraders } from "./graders/judge/register-judge-graders.js";
export {
  adjustTogether,
  type Better,
  type Change,
  type ComparedRun,
  type CompareOptions,
  type CompareRunsOptions,
  type Comparison as PairedComparison,
  compareRows,
  compareRuns,
  type Detectable,
  type Flips,
  type Lift,
  type LiftOptions,
  liftOf,
  type MetricComparison,
  type MetricKind,
  type RegressionOptions,
  type Regressions,
  type RunComparison,
  type RunName,
  regressionsIn,
  regressionsOf,
  type TaskName,
  type TaskPasses,
  type TestName,
  type UnmatchedTask,
} from "./metrics/compare/index.js";
export {
  CompressionRatio,
  CostOfPass,
  FacetBreakdown,
  type FrontierOptions,
  frontierCostOfPass,
  Latency,
  MeanScore,
  MemoryEfficiency,
  type ParetoOptions,
  ParetoRank,
  type PassOptions,
  PassRate,
  PerDatasetBreakdown,
  type ScoreOptions,
  type Summaries,
  standardMetrics,
  summarise,
} from "./metrics/index.js";
export * from "./metrics/scoring.js";
export type { DialectName, Message } from "./models/dialects/index.js";
export { type HttpClient, openClient } from "./models/http/index.js";
export { loadTokenizer, type MemoOptions, memoTokenizer, type TokenizerName } from "./models/tokens/index.js";
export type { Announcement, PlanSource, QueueState, WorkerState } from "./queue/contract.js";
export {
  type EvalPart,
  type EvalReport,
  evalReport,
  type GateResult,
  type SkillLine,
  type StimulusLine,
  type TriggerScore,
} from "./report/eval/eval-report.js";

export type { Progress } from "./runner/ports.js";
export type { RetryPolicy } from "./runner/retry.js";
export type { BudgetOptions } from "./runs/budgets.js";
export {
  EXPORT_FORMATS,
  type ExportedRun,
  type ExportFormat,
  type ExportOptions,
  type ExportRunOptions,
  exportRun,
} from "./runs/export-run.js";
export { type GradeOptions, gradeRun } from "./runs/grade-run.js";
export { type ImportedRun, type ImportProgress, type ImportRunOptions, importRun } from "./runs/import-run.js";
export { type LoadRunOptions, loadRun } from "./runs/load-run.js";
export type { QueueOptions } from "./runs/queue-run.js";
export { type WorkOptions, work } from "./runs/work.js";
export * from "./stats/index.js";
export type { JsonValue, QueryColumn, QueryOptions, QueryResult, QueryRow } from "./store/history/index.js";
export { queryRuns } from "./store/history/query-runs.js";
export { QueryStopped } from "./store/history/query-stopped.js";
export { FORMAT_NAMES, type FormatName } from "./store/import/format.js";
export * from "./systems/index.js";
export {
  BUILT_IN_MEMORIES,
  type BuiltInMemoryOptions,
  bm25Memory,
  builtInMemory,
  type Conversation,
  fullHistory,
  lastTurns,
  MEMORY_DATASETS,
  type MemoryAnswer,
  type MemoryEntry,
  MemoryError,
  type MemoryFactory,
  type MemoryLoadOptions,
  type MemorySystem,
  type MemoryTrial,
  READER_INSTRUCTION,
  type Reader,
  type Session,
  type SystemReaderOptions,
  systemReader,
} from "./systems/memory/index.js";
export { type Mock, type MockOptions, type MockRequest, type MockScript, startMock } from "./testing/mock/index.js";
