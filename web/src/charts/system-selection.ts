import { selectCostSpeed, selectQualityCost } from "../../../src/report/dashboard/charts/select.js";
import type {
  CostRadarChart,
  EffortCurve,
  RadarChart,
  RunCard,
  RunCharts,
  TopErrors,
} from "../../../src/report/dashboard/contract.js";
import { median } from "../../../src/stats/quantile.js";
import { type Route, updateQuery } from "../ui/index.js";

interface SystemSelection {
  readonly systems: readonly string[];
  /** What looks are assigned to, so that a filter of systems does not change colors. */
  readonly known: readonly string[];
  readonly isSelected: (system: string) => boolean;
  readonly onChange: (selected: readonly string[]) => void;
  /** Shows only one system, or all when it is the only one. */
  readonly onIsolate: (system: string) => void;
}

/** Stands for no system in the address: an empty value would be left out of it. */
const NONE = "-";

/**
 * The systems chosen in the address (`systems=…`); all without one.
 * @example
 * const selection = selectSystems(route, ["a", "b"]); // of "#/run/ID/charts?systems=a"
 * selection.isSelected("b"); // false
 * @param known Also the systems that a filter leaves out. Default: `systems`.
 */
export function selectSystems(
  route: Route,
  systems: readonly string[],
  known: readonly string[] = systems,
): SystemSelection {
  const wanted = parseSystemNames(route.query.systems);
  const named = wanted?.filter((name) => systems.includes(name)) ?? [];
  // Names of another page select nothing here, which would be an empty page.
  const selected = wanted === null || (wanted.length > 0 && named.length === 0) ? null : new Set(named);
  const isSelected = (system: string) => selected?.has(system) ?? true;
  const onChange = (names: readonly string[]) =>
    updateQuery(route, { systems: names.length === systems.length ? undefined : formatSystemNames(names) });
  return {
    systems,
    known,
    isSelected,
    onChange,
    onIsolate: (system) => onChange(systems.filter(isSelected).length > 1 ? [system] : systems),
  };
}

/** Names may contain commas. */
export function formatSystemNames(names: readonly string[]): string {
  return names.length === 0 ? NONE : names.map((name) => name.replace(/[%,]/g, encodeURIComponent)).join(",");
}

/** Null when nothing was chosen. */
export function parseSystemNames(text: string | undefined): string[] | null {
  if (!text) return null;
  return text === NONE ? [] : text.split(",").map((name) => name.replace(/%2[5C]/g, decodeURIComponent));
}

/** The charts of some systems, with fronts among them. */
export function selectRunCharts(charts: RunCharts, isSelected: (system: string) => boolean): RunCharts {
  const select = <T extends { system: string }>(all: readonly T[]) => all.filter(({ system }) => isSelected(system));
  return {
    ...charts,
    qualityCost: selectQualityCost(charts.qualityCost, isSelected),
    costSpeed: selectCostSpeed(charts.costSpeed, isSelected),
    radar: selectRadar(charts.radar, isSelected),
    costRadar: selectCostRadar(charts.costRadar, isSelected),
    passCurves: select(charts.passCurves),
    heatMaps: select(charts.heatMaps),
    tokenCosts: select(charts.tokenCosts),
    latencies: select(charts.latencies),
  };
}

/** Efforts of models with at least one selected system. */
export function selectEffortCurves(
  curves: readonly EffortCurve[],
  isSelected: (system: string) => boolean,
): EffortCurve[] {
  return curves
    .map((curve) => ({ ...curve, points: curve.points.filter(({ system }) => isSelected(system)) }))
    .filter(({ points }) => points.length > 0);
}

function selectRadar(radar: RadarChart, isSelected: (system: string) => boolean): RadarChart {
  const kept = radar.spokes.filter(({ system }) => isSelected(system));
  if (kept.length === radar.spokes.length) return radar;
  const limitSeconds = computeClipLimit(kept.map(({ seconds }) => seconds));
  return { limitSeconds, spokes: kept.map((one) => ({ ...one, isClipped: isBeyond(one.seconds, limitSeconds) })) };
}

function selectCostRadar(radar: CostRadarChart, isSelected: (system: string) => boolean): CostRadarChart {
  const kept = radar.spokes.filter(({ system }) => isSelected(system));
  if (kept.length === radar.spokes.length) return radar;
  const limit = computeClipLimit(kept.map(({ cost }) => cost));
  return { ...radar, limit, spokes: kept.map((one) => ({ ...one, isClipped: isBeyond(one.cost, limit) })) };
}

/** Five times the median of the systems shown. */
function computeClipLimit(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : 5 * median(known);
}

function isBeyond(value: number | null, limit: number | null): boolean {
  return value !== null && limit !== null && value > limit;
}

/** The runs with only some of their systems. */
export function selectRunSystems(runs: readonly RunCard[], isSelected: (system: string) => boolean): RunCard[] {
  return runs.map((run) => ({ ...run, systems: run.systems.filter(({ system }) => isSelected(system)) }));
}

/** The errors of the systems of a run. Which of them the rarer errors belong to is not known, so their number is kept. */
export function selectTopErrors(errors: TopErrors, { systems: cards }: RunCard): TopErrors {
  const kept = new Set(cards.map(({ system }) => system));
  if (errors.top.every(({ systems }) => systems.every(({ system }) => kept.has(system)))) return errors;
  const top = errors.top.flatMap((error) => {
    const systems = error.systems.filter(({ system }) => kept.has(system));
    return systems.length === 0 ? [] : [{ ...error, systems, count: sum(systems.map(({ count }) => count)) }];
  });
  const trials = sum(cards.map(({ outcomes }) => sum(Object.values(outcomes)) - outcomes.skipped));
  return { ...errors, trials, top: top.sort((a, b) => b.count - a.count) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
