import type { JsonSummary } from "../../core/result.js";

/** The figures of one system, those of speed and efficiency among the others. */
export function flatFigures(system: JsonSummary): Record<string, number | string | null> {
  const { efficiency, ...others } = system;
  const nested = typeof efficiency === "object" && efficiency !== null ? efficiency : {};
  return { ...(others as Record<string, number | string | null>), ...nested };
}
