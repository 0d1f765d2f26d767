import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonSummary, Timing } from "../core/result.js";
import { FILES } from "../store/journal.js";

/** What is asked of a summary; everything may be missing in one that an older version wrote. */
export interface StoredSummary {
  readonly summary?: Readonly<Record<string, JsonSummary>>;
  readonly across?: Readonly<Record<string, number | string | null>>;
  readonly timing?: Partial<Timing>;
  readonly complete?: boolean;
}

/** The summary of a run folder; null when there is none that can be read, as in a run that was killed. */
export function readSummary(dir: string): StoredSummary | null {
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(dir, FILES.summary), "utf8"));
    return typeof parsed === "object" && parsed !== null ? parsed : null;
  } catch {
    return null;
  }
}

/** The figures of one system, those of speed and efficiency among the others. */
export function flatFigures(system: JsonSummary): Record<string, number | string | null> {
  const { efficiency, ...others } = system;
  const nested = typeof efficiency === "object" && efficiency !== null ? efficiency : {};
  return { ...(others as Record<string, number | string | null>), ...nested };
}
