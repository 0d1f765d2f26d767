import type { EvalResult } from "../../../core/result.js";
import type { Manifest } from "../../../store/manifest.js";
import type { RunCharts } from "../contract.js";
import { listChartSystems } from "./chart-system.js";
import { buildCostSpeedChart } from "./cost-speed.js";
import { buildHeatMaps } from "./heat-maps.js";
import { buildLatencySpreads } from "./latencies.js";
import { buildPassCurves } from "./pass-curves.js";
import { buildQualityCostChart } from "./quality-cost.js";
import { buildRadarChart } from "./radar.js";
import { buildTokenCosts } from "./token-costs.js";

export function buildRunCharts(result: EvalResult, manifest: Pick<Manifest, "systems">): RunCharts {
  const systems = listChartSystems(result, manifest);
  return {
    qualityCost: buildQualityCostChart(systems, result.config),
    costSpeed: buildCostSpeedChart(systems),
    radar: buildRadarChart(systems),
    passCurves: buildPassCurves(systems),
    heatMaps: buildHeatMaps(result),
    tokenCosts: buildTokenCosts(systems),
    latencies: buildLatencySpreads(systems),
  };
}
