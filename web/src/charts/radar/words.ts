import type { RadarChart as RadarData } from "../../../../src/report/dashboard/contract.js";
import { formatSeconds } from "../../ui/format.js";
import type { ChartTableData } from "../frame/table.js";
import { formatName, formatNameList, shortenName } from "../names.js";

/** One system of the radar. */
export type RadarSpoke = RadarData["spokes"][number];

/** A spoke that has a length. */
export type MeasuredSpoke = RadarSpoke & { seconds: number };

export function isMeasuredSpoke(spoke: RadarSpoke): spoke is MeasuredSpoke {
  return spoke.seconds !== null;
}

/** From how many systems on, and up to how many, spokes can be read; bars do for all others. */
export function canDrawRadar({ spokes }: RadarData): boolean {
  return spokes.length >= 3 && spokes.length <= 12;
}

/** What the chart shows, or why there is none. */
export function describeRadar(data: RadarData): string {
  const { spokes } = data;
  const measured = spokes.filter(isMeasuredSpoke).sort((a, b) => a.seconds - b.seconds);
  const [fastest, slowest] = [measured[0], measured.at(-1)];
  if (fastest === undefined || slowest === undefined)
    return spokes.length === 0
      ? "There is nothing to draw: the run has no systems."
      : "There is nothing to draw: no system has a measured time to success.";
  if (measured.length === 1)
    return `${shortenName(fastest.system)} needs ${formatSeconds(fastest.seconds)} to a success in the median.`;
  if (fastest.seconds === slowest.seconds)
    return `All ${measured.length} systems need ${formatSeconds(fastest.seconds)} to a success in the median.`;
  return `${shortenName(fastest.system)} is the fastest to a success with ${formatSeconds(fastest.seconds)} in the median, ${shortenName(slowest.system)} the slowest with ${formatSeconds(slowest.seconds)}. ${canDrawRadar(data) ? "Nearer to the middle" : "Shorter"} is faster.`;
}

/** What the drawing cuts or lacks. */
export function listRadarNotes({ spokes, limitSeconds }: RadarData): string[] {
  const clipped = spokes.filter((spoke) => spoke.isClipped);
  const unmeasured = spokes.filter((spoke) => !isMeasuredSpoke(spoke)).map(({ system }) => system);
  const real = clipped.map(({ system, seconds }) => `${shortenName(system)} (${formatSeconds(seconds)})`);
  return [
    ...(clipped.length > 0
      ? [`Cut at ${formatSeconds(limitSeconds)}, with their real times: ${real.join("; ")}.`]
      : []),
    ...(unmeasured.length > 0 ? [`Not measured: ${formatNameList(unmeasured, 8)}.`] : []),
  ];
}

/** The same as a table. */
export function buildRadarTable({ spokes, limitSeconds }: RadarData): ChartTableData {
  return {
    columns: ["System", "Median time to success", `Cut at ${formatSeconds(limitSeconds)}`],
    rows: spokes.map(({ system, seconds, isClipped }) => [
      formatName(system),
      formatSeconds(seconds),
      isClipped ? "yes" : "no",
    ]),
  };
}
