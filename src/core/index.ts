/** Contracts that every folder shares: examples, systems, outputs, evaluators, graders, rows, errors, fingerprints, registry. */
export {
  collectFacets,
  type Dataset,
  type DatasetDefinition,
  type DatasetGate,
  type DatasetJudging,
  type DatasetOrigin,
  type DatasetOverrides,
  type DownloadProgress,
  type LoadedExamples,
  type LoadOptions,
  makeDataset,
  readFacetValue,
} from "./dataset.js";
export { describeError, summarizeError, userErrorChannel } from "./describe-error.js";
export { DURATION_FORMAT_HINT, formatDuration, parseDuration } from "./duration.js";
export { addEffortName, EFFORT_NAMES, type Effort, type EffortName, parseEffort } from "./effort.js";
export type { EffortCurve, EffortPoint } from "./effort-curve.js";
export type {
  Environment,
  EnvironmentFile,
  FileChange,
  ImageSource,
  McpServer,
  OfferedSkill,
  ResourceLimits,
  WorkspaceChanges,
  WorkspaceState,
} from "./environment.js";
export {
  AssayError,
  BudgetError,
  DatasetError,
  EXIT,
  getErrorMessage,
  type InfrastructureCategory,
  isTrialError,
  JournalError,
  ModuleError,
  NothingToRunError,
  type Outlook,
  QueueError,
  RegistryError,
  ReporterError,
  type Retry,
  RunFolderError,
  SandboxError,
  ScoreFieldError,
  ShapeError,
  type Spent,
  StalledError,
  TrialError,
  TrialStopped,
  UsageError,
} from "./errors.js";
export type {
  Evaluator,
  MeasureValues,
  ScoreContext,
  Scored,
  ScoredWithEvidence,
  ScoreMeter,
  Scores,
  ScoringCost,
  TrialStats,
} from "./evaluator.js";
export {
  applyChoiceOrder,
  applyUserMessages,
  asksAfterTurns,
  type BaseExample,
  countAskedTurns,
  type Example,
  type ExampleSource,
  findExampleProblem,
  getExampleKey,
  hasId,
  isChoiceOrder,
  isConversation,
  isOpenTurn,
  normalizeRole,
  OPTION_LETTERS,
  readChoiceOrder,
  renderChoices,
  type Turn,
} from "./example.js";
export {
  EXAMPLE_FILE_FIELDS,
  type ExampleFile,
  type ExampleFileField,
  hasExampleFiles,
  isLinkedFile,
  type StoredExampleFile,
} from "./example-file.js";
export {
  countExampleTrials,
  createStoredTrialCounter,
  type ExampleOverrides,
  findExampleOverrides,
  type StoredExampleLimits,
} from "./example-limits.js";
export { EXAMPLE_MODELS, getExampleModelName } from "./example-models.js";
export {
  CALL_FAULT_KINDS,
  type CallFaultKind,
  type FaultSource,
  type InjectedFault,
  isDelayFault,
  isInjectedFault,
  type PlannedFault,
  STATUS_CALL_FAULTS,
  type StressArm,
} from "./faults.js";
export { canonicalJson, computeFingerprint, digest, hashContent, IdDeduplicator } from "./fingerprint.js";
export {
  addExpertCosts,
  checkExpertCost,
  type ExpertCosts,
  type FrontierReport,
  type FrontierSystem,
} from "./frontier.js";
export type { Grade, Graded, Grader, GraderFactory, GraderSpec, Verdict } from "./grader.js";
export type { HistoryAdjustment, HistoryAdjustments, TaskRate } from "./history-adjustment.js";
export type { LabelCorrection, LabelCorrections, LabelEstimate } from "./label-correction.js";
export { isLoopback } from "./loopback.js";
export {
  type Comparison,
  type Estimate,
  type EstimateInterval,
  listChosenMetrics,
  type Metric,
  type MetricChoice,
  type MetricContext,
  type MetricRun,
  mapMetricChoice,
  type NumberColumn,
  pickValues,
  requireThreshold,
  type TaskIndex,
} from "./metric.js";
export {
  computePaidCost,
  countPromptTokens,
  describePriceMatch,
  type Limits,
  listCallUsages,
  type Price,
  type PriceMatch,
  type PriceTier,
  SERVICE_TIERS,
  type ServicePrice,
  type ServiceTier,
  selectPrices,
  selectRowPrice,
  selectServicePrice,
  type TokenPrices,
} from "./price.js";
export type {
  BestSystem,
  CheapestSystem,
  CostBasis,
  FastestSystem,
  QualityDifference,
  QualityKey,
  Recommendation,
} from "./recommendation.js";
export {
  type Factory,
  type GateVerdict,
  type Permissions,
  type RegisteredDataset,
  Registry,
  type RegistryKind,
  type RegistryKinds,
  type RenderedReport,
  type Reporter,
  type ReportOptions,
  type RunVerdict,
  registerDataset,
  registry,
} from "./registry.js";
export type {
  CalibrationFigures,
  FaultFigures,
  ReliabilityFigure,
  ReliabilityProfile,
  StressFigures,
} from "./reliability.js";
export type {
  BudgetReceipt,
  DatasetConfig,
  EvalConfig,
  EvalResult,
  JsonReport,
  JsonSummary,
  RowFilter,
  Summary,
  Timing,
} from "./result.js";
export { computeRetryDelay, DEFAULT_RETRY, getRetry, type RetryPolicy } from "./retry.js";
export {
  type Attempt,
  type CostSource,
  ERROR_CATEGORIES,
  type ErrorCategory,
  type EvalRow,
  type Facets,
  type FacetValue,
  type FactUnit,
  getMeasure,
  getScore,
  hasOutput,
  isScored,
  listAgentSystems,
  MEASURE_PREFIX,
  makeRow,
  type NamedRowField,
  NO_CONFIDENCE_NOTE,
  OTHER_MODEL_NOTE,
  OUTCOMES,
  type Outcome,
  ROW_FIELD_LIST,
  ROW_FIELDS,
  type RowInit,
  SENT_WITHOUT_NOTE,
  SLOW_NOTE,
  type TrialKey,
} from "./row.js";
export { findSecretsInPath, isCredentialName, isNonSecretName, maskKeyLike } from "./secret-names.js";
export type {
  AnytimeInterval,
  ComparedVariant,
  Population,
  SequentialAnswer,
  SequentialArm,
  SequentialFinding,
  SequentialReport,
  StoredBaseline,
  UntilConfig,
} from "./sequential.js";
export {
  asksForReaching,
  findSequentialArm,
  isAboutGroups,
  listComparedVariants,
  nameStoredBaseline,
} from "./sequential.js";
export { describeValue, getOwn, isThenable, omitUndefined, requireShape } from "./shape.js";
export { readUserRole, type UserQuestion, type UserRole, type UserSimulator, type UserTurn } from "./simulated-user.js";
export type { StratifiedFigure, StratifiedFigures } from "./strata.js";
export { computeEditDistance, didYouMean, findClosestName } from "./suggest.js";
export {
  type Bill,
  type Canary,
  findMissingChanges,
  findOutputProblem,
  type MeteredTotal,
  type Output,
  STOP_REASONS,
  type StopReason,
  type System,
  type Tokenizer,
  type TrialBill,
  type TrialBudget,
  type TrialContext,
  type Usage,
} from "./system.js";
export {
  type AgentEvent,
  type AgentEventBody,
  countToolCalls,
  countTurns,
  findFirstAttemptTime,
  findFirstTextTime,
  findFirstWriteTime,
  type Trajectory,
  type TrajectoryEvent,
} from "./trajectory.js";
export { countTrials, createTrialCounts, type TrialCounts } from "./trial-counts.js";
export { VERSION } from "./version.js";
