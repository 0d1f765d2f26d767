export {
  listNamedMetrics,
  listSummaryKeys,
  mergeStandardMetrics,
  type StandardMetrics,
  standardMetrics,
} from "./built-in.js";
export { CompressionRatio } from "./compression-ratio.js";
export { CostOfPass } from "./cost-of-pass.js";
export { EFFICIENCY_KEYS } from "./efficiency.js";
export { CELL_FACETS, FacetBreakdown, type FacetGroup, groupByFacet } from "./facet-breakdown.js";
export { type FrontierOptions, frontierCostOfPass } from "./frontier.js";
export { Latency } from "./latency.js";
export { MeanScore } from "./mean-score.js";
export { MEASURE_PREFIX } from "./measures.js";
export { MemoryEfficiency } from "./memory-efficiency.js";
export { type ParetoOptions, ParetoRank } from "./pareto-rank.js";
export { PassRate } from "./pass-rate.js";
export { PerDatasetBreakdown } from "./per-dataset-breakdown.js";
export type { PassOptions, ScoreOptions } from "./settings.js";
export { type Summaries, summarize } from "./summarize.js";
export { formatGroupsKey, listIntervalKeys } from "./summary-table.js";
