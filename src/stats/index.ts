/** Statistics: intervals, tests, pass@k, the bootstrap, Pareto fronts, seeded random numbers. */
export { type CrossTable, cohenKappa, crossTable, quadraticKappa, spearman } from "./agreement.js";
export { type BootstrapInterval, type BootstrapOptions, bootstrapInterval } from "./bootstrap.js";
export {
  ConfidenceSequence,
  type ConfidenceSequenceOptions,
  MeanTest,
  type ObservationOptions,
} from "./confidence-sequence.js";
export {
  type AdjustedMean,
  adjustByHistory,
  type HistoryOptions,
  type HistoryScores,
  type StratifiedMean,
  type Stratum,
  stratifiedMean,
} from "./control-variate.js";
export {
  binomialCdf,
  incompleteBeta,
  inverseIncompleteBeta,
  logGamma,
  normalCdf,
  normalQuantile,
  studentCdf,
  studentQuantile,
  studentTwoSidedP,
} from "./distributions.js";
export { bootstrapEstimate, type Estimate, estimateProportion } from "./estimate.js";
export {
  amountInterval,
  clopperPearsonInterval,
  type Interval,
  type MeanInterval,
  type MeanIntervalOptions,
  meanInterval,
  type OpenInterval,
  type PassRateInterval,
  type PassRateOptions,
  passRateInterval,
  type RatioInterval,
  type RatioIntervalOptions,
  ratioInterval,
  scoreInterval,
  wilsonInterval,
} from "./intervals.js";
export {
  fitItemResponse,
  type ItemEstimate,
  type ItemResponseFit,
  type ResponseCell,
  type TaskFlag,
} from "./item-response.js";
export { type Clusters, mean, type Numbers, sum } from "./mean.js";
export {
  type DecisionDesign,
  type NonInferiorityOptions,
  type NonInferiorityTest,
  nonInferiorityTest,
  type OneSidedBounds,
  type PairedCounts,
  requiredForDecision,
  tangoBounds,
} from "./non-inferiority.js";
export {
  holm,
  MAX_EXACT_UNITS,
  mcnemarExact,
  mcnemarMidP,
  type PairedDifference,
  type PairedOptions,
  pairedDifference,
  signTestOneSided,
} from "./paired.js";
export { type ParetoPoint, paretoFronts } from "./pareto.js";
export {
  type PassCurveOptions,
  type PassCurvePoint,
  passAtK,
  passAtKNaive,
  passCurves,
  passHatK,
  passToTheK,
  type TaskCounts,
} from "./pass-at-k.js";
export { type Design, detectableDifference, requiredTasks } from "./power.js";
export {
  type BoundedEstimate,
  type LabelDesign,
  type LabeledScores,
  type PredictionPoweredMean,
  type PredictionPoweredOptions,
  planLabelChances,
  predictionPoweredMean,
  requiredLabels,
} from "./prediction-powered.js";
export {
  effectiveUnits,
  median,
  type QuantileIntervalOptions,
  quantile,
  quantileInterval,
  quantileSorted,
} from "./quantile.js";
export { Race, type RaceArm, type RaceOptions } from "./race.js";
export { createRandom, createSeedHasher, hashSeed, permutation, type Random, type Seed, shuffle } from "./random.js";
export {
  type Calibration,
  type CalibrationOptions,
  type ConfidentTrial,
  calibrationFigures,
  type OutcomeConsistency,
  outcomeConsistency,
  type ReliabilityFigure,
  type ReliabilityOptions,
  type ResourceConsistency,
  type Robustness,
  resourceConsistency,
  robustnessRatio,
} from "./reliability.js";
export { type CorrectedRate, correctJudgedRate, type JudgedRate } from "./rogan-gladen.js";
export {
  holmByEValues,
  type SequentialDecision,
  type SequentialOptions,
  type SequentialQuestion,
  type SequentialResult,
  SequentialTest,
  type SequentialVerdict,
} from "./sequential.js";
