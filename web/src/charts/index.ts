export { CostSpeedChart } from "./cost-speed.js";
export { EffortChart, formatEffort, formatTokens } from "./effort.js";
export { ErrorsChart } from "./errors.js";
export { groupHeatMaps, HeatMapChart } from "./heat-map.js";
export { LatencyChart } from "./latency.js";
export { PassCurvesChart } from "./pass-curves.js";
export type { ChartSelection } from "./plot.js";
export { QualityBars } from "./quality-bars.js";
export { QualityCostChart } from "./quality-cost.js";
export { CostRadar, SpeedRadar } from "./radar.js";
export { RobustnessChart } from "./robustness.js";
export { SystemPicker } from "./system-picker.js";
export {
  selectEffortCurves,
  selectRunCharts,
  selectRunSystems,
  selectSystems,
  selectTopErrors,
} from "./system-selection.js";
export { TokenCostChart } from "./token-cost.js";
export { TopErrorsView } from "./top-errors.js";
export { TrendChart } from "./trend.js";
