import type { TimelineStep } from "../../../../../src/report/dashboard/contract.js";

/** A line that rises as something is spent. */
export interface RunningLine {
  /** Of an SVG path in a box of the given size. */
  readonly path: string;
  readonly last: number;
}

export interface Box {
  readonly width: number;
  readonly height: number;
}

/**
 * What had been spent at each step, as a line of steps over time; null when fewer than two steps know it.
 * @example
 * runningLine(timeline, "costUsd", { width: 600, height: 40 });
 */
export function runningLine(steps: readonly TimelineStep[], of: "costUsd" | "tokens", box: Box): RunningLine | null {
  const known = steps.flatMap(({ atMs, [of]: value }) => (value === null ? [] : [{ atMs, value }]));
  const last = known.at(-1)?.value ?? 0;
  if (known.length < 2 || last <= 0) return null;
  const [first, end] = [steps[0]?.atMs ?? 0, steps.at(-1)?.atMs ?? 0];
  const most = known.reduce((largest, { value }) => Math.max(largest, value), 0);
  const x = (atMs: number) => (end > first ? ((atMs - first) / (end - first)) * box.width : 0);
  const y = (value: number) => box.height - (value / most) * box.height;
  const points = known.map(({ atMs, value }) => `H${tidy(x(atMs))}V${tidy(y(value))}`);
  return { path: `M0 ${tidy(box.height)}${points.join("")}H${tidy(box.width)}`, last };
}

function tidy(value: number): number {
  return Math.round(value * 10) / 10;
}
