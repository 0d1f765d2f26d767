import type { RadarChart } from "../../../../src/report/dashboard/contract.js";
import { formatSeconds } from "../../ui/format.js";
import type { TableData } from "../frame/table.js";
import { listed, shown, told } from "../names.js";

/** One system of the radar. */
export type Spoke = RadarChart["spokes"][number];

/** A spoke that has a length. */
export type MeasuredSpoke = Spoke & { seconds: number };

export function isMeasured(spoke: Spoke): spoke is MeasuredSpoke {
  return spoke.seconds !== null;
}

/** From how many systems on, and up to how many, spokes can be read; bars do for all others. */
export function isRadar({ spokes }: RadarChart): boolean {
  return spokes.length >= 3 && spokes.length <= 12;
}

/** What the chart shows, or why there is none. */
export function radarWords(data: RadarChart): string {
  const { spokes } = data;
  const measured = spokes.filter(isMeasured).sort((a, b) => a.seconds - b.seconds);
  const [fastest, slowest] = [measured[0], measured.at(-1)];
  if (fastest === undefined || slowest === undefined)
    return spokes.length === 0
      ? "There is nothing to draw: the run has no systems."
      : "There is nothing to draw: no system has a measured time to success.";
  if (measured.length === 1)
    return `${told(fastest.system)} needs ${formatSeconds(fastest.seconds)} to a success in the median.`;
  if (fastest.seconds === slowest.seconds)
    return `All ${measured.length} systems need ${formatSeconds(fastest.seconds)} to a success in the median.`;
  return `${told(fastest.system)} is the fastest to a success with ${formatSeconds(fastest.seconds)} in the median, ${told(slowest.system)} the slowest with ${formatSeconds(slowest.seconds)}. ${isRadar(data) ? "Nearer to the middle" : "Shorter"} is faster.`;
}

/** What the drawing cuts or lacks. */
export function radarNotes({ spokes, limitSeconds }: RadarChart): string[] {
  const clipped = spokes.filter((spoke) => spoke.isClipped);
  const unmeasured = spokes.filter((spoke) => !isMeasured(spoke)).map(({ system }) => system);
  const real = clipped.map(({ system, seconds }) => `${told(system)} (${formatSeconds(seconds)})`);
  return [
    ...(clipped.length > 0
      ? [`Cut at ${formatSeconds(limitSeconds)}, with their real times: ${real.join("; ")}.`]
      : []),
    ...(unmeasured.length > 0 ? [`Not measured: ${listed(unmeasured, 8)}.`] : []),
  ];
}

/** The same as a table. */
export function radarTable({ spokes, limitSeconds }: RadarChart): TableData {
  return {
    columns: ["System", "Median time to success", `Cut at ${formatSeconds(limitSeconds)}`],
    rows: spokes.map(({ system, seconds, isClipped }) => [
      shown(system),
      formatSeconds(seconds),
      isClipped ? "yes" : "no",
    ]),
  };
}
