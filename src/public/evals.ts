/** Eval files and experiments: load, plan, lint, check without an agent, report. */
import "../index.js";

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
} from "../evals/experiment/index.js";
export {
  type Finding as LintFinding,
  LINT_RULES,
  type LintCode,
  type LintOptions,
  type LintReport,
  type LintRule,
  lint,
} from "../evals/lint/index.js";
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
} from "../evals/oracle/index.js";
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
} from "../evals/spec/index.js";
export {
  type EvalPart,
  type EvalReport,
  evalReport,
  type GateResult,
  type SkillLine,
  type StimulusLine,
  type TriggerScore,
} from "../report/eval/eval-report.js";
