/** Statistics: intervals, tests, pass@k, the bootstrap, Pareto fronts, seeded random numbers. */
export { type CrossTable, cohenKappa, crossTable, quadraticKappa, spearman } from "./agreement.js";
export { type BootstrapInterval, type BootstrapOptions, bootstrapInterval } from "./bootstrap.js";
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
export { type Clusters, mean, type Numbers, sum } from "./mean.js";
export {
  holm,
  MAX_EXACT_UNITS,
  mcnemarExact,
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
  effectiveUnits,
  median,
  type QuantileIntervalOptions,
  quantile,
  quantileInterval,
  quantileSorted,
} from "./quantile.js";
export { createRandom, createSeedHasher, hashSeed, permutation, type Random, type Seed, shuffle } from "./random.js";
