import type { EvalResult } from "../../../core/result.js";
import type { Manifest } from "../../../store/manifest.js";
import type { RunCharts } from "../contract.js";
import { chartSystems } from "./chart-system.js";
import { costSpeedChart } from "./cost-speed.js";
import { heatMaps } from "./heat-maps.js";
import { latencySpreads } from "./latencies.js";
import { passCurvesOf } from "./pass-curves.js";
import { qualityCostChart } from "./quality-cost.js";
import { radarChart } from "./radar.js";
import { tokenCosts } from "./token-costs.js";

export function runCharts(result: EvalResult, manifest: Pick<Manifest, "systems">): RunCharts {
  const systems = chartSystems(result, manifest);
  return {
    qualityCost: qualityCostChart(systems, result.config),
    costSpeed: costSpeedChart(systems),
    radar: radarChart(systems),
    passCurves: passCurvesOf(systems),
    heatMaps: heatMaps(result),
    tokenCosts: tokenCosts(systems),
    latencies: latencySpreads(systems),
  };
}
