import type { TimelineStep } from "../../../../../src/report/dashboard/contract.js";

/** A line that rises as something is spent. */
export interface RunningLine {
  /** Of an SVG path in a box of the given size. */
  readonly path: string;
  readonly last: number;
}

export interface LineSize {
  readonly width: number;
  readonly height: number;
}

/**
 * What had been spent at each step, as a line of steps over time; null when fewer than two steps know it.
 * @example
 * buildRunningLine(timeline, "costUsd", { width: 600, height: 40 });
 */
export function buildRunningLine(
  steps: readonly TimelineStep[],
  of: "costUsd" | "tokens",
  box: LineSize,
): RunningLine | null {
  const known = steps.flatMap(({ atMs, [of]: value }) => (value === null ? [] : [{ atMs, value }]));
  const last = known.at(-1)?.value ?? 0;
  if (known.length < 2 || last <= 0) return null;
  const [first, end] = [steps[0]?.atMs ?? 0, steps.at(-1)?.atMs ?? 0];
  const most = known.reduce((largest, { value }) => Math.max(largest, value), 0);
  const x = (atMs: number) => (end > first ? ((atMs - first) / (end - first)) * box.width : 0);
  const y = (value: number) => box.height - (value / most) * box.height;
  const points = known.map(({ atMs, value }) => `H${roundTenth(x(atMs))}V${roundTenth(y(value))}`);
  return { path: `M0 ${roundTenth(box.height)}${points.join("")}H${roundTenth(box.width)}`, last };
}

function roundTenth(value: number): number {
  return Math.round(value * 10) / 10;
}
