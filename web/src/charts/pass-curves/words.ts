import type { PassCurve, PassCurveChartPoint } from "../../../../src/report/dashboard/contract.js";
import { formatInterval, formatPlural, formatShare } from "../../ui/format.js";
import type { ChartTableData } from "../frame/table.js";
import { formatName, shortenName } from "../names.js";
import type { TooltipFact } from "../plot/mark.js";

/** pass@k: at least one of k trials passes. pass^k: all of them do. */
export type CurveKind = "passAt" | "passHat";

export const CURVE_NAMES: Readonly<Record<CurveKind, string>> = { passAt: "pass@k", passHat: "pass^k" };

/** A curve's value at k with its interval. */
export function getCurveValue(
  point: PassCurveChartPoint,
  kind: CurveKind,
): { value: number | null; low: number | null; high: number | null } {
  return { value: point[kind], low: point[`${kind}Low`], high: point[`${kind}High`] };
}

export function describeCurvePoint(
  system: string,
  point: PassCurveChartPoint,
  kind: CurveKind,
): { title: string; facts: TooltipFact[] } {
  const meaning = kind === "passAt" ? "at least one passes" : "all pass";
  return {
    title: formatName(system),
    facts: [
      [`${kind === "passAt" ? "pass@" : "pass^"}${point.k}`, formatInterval(getCurveValue(point, kind), formatShare)],
      ["Of", `${formatPlural(point.k, "trial")}, ${meaning}`],
      ["Tasks", String(point.n)],
    ],
  };
}

/** What the chart shows, or why there is none. */
export function describePassCurves(curves: readonly PassCurve[]): string {
  const drawn = curves.filter(({ points }) => points.some(hasPassValue));
  const most = Math.max(0, ...drawn.flatMap(({ points }) => points.filter(hasPassValue).map(({ k }) => k)));
  if (drawn.length === 0) return "There is nothing to draw: no trial was scored as pass or fail.";
  if (most === 1)
    return "Each example was tried once, so that pass@1 and pass^1 are both the pass rate. More trials show how dependable a system is.";
  const sentences = drawn.slice(0, 3).flatMap((curve) => describeLastPoint(curve));
  const more = drawn.length > 3 ? ` and ${formatPlural(drawn.length - 3, "more system")}` : "";
  return `${sentences.join("; ")}${more}. The wider the gap between the two curves, the less a single trial can be relied on.`;
}

function hasPassValue({ passAt, passHat }: PassCurveChartPoint): boolean {
  return passAt !== null || passHat !== null;
}

function describeLastPoint({ system, points }: PassCurve): string[] {
  const last = points.filter(hasPassValue).at(-1);
  if (last === undefined) return [];
  return [
    `${shortenName(system)} passes at least once in ${last.k} for ${formatShare(last.passAt)} of tasks and every time for ${formatShare(last.passHat)}`,
  ];
}

/** The same as a table. */
export function buildPassCurveTable(curves: readonly PassCurve[]): ChartTableData {
  return {
    columns: ["System", "k", "pass@k", "from", "to", "pass^k", "from ", "to ", "Tasks"],
    rows: curves.flatMap(({ system, points }) =>
      points.map((point) => [
        formatName(system),
        String(point.k),
        ...[point.passAt, point.passAtLow, point.passAtHigh, point.passHat, point.passHatLow, point.passHatHigh].map(
          formatShare,
        ),
        String(point.n),
      ]),
    ),
  };
}
