import { readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { JsonSummary } from "../core/result.js";
import type { TrialCounts } from "../report/trial-counts.js";
import { FILES } from "../store/journal.js";
import { isRunLocked } from "../store/lock.js";

/** A run folder as it is now. */
export interface RunFolder {
  readonly id: string;
  readonly dir: string;
  readonly isRunning: boolean;
  /** Changes when a file does that a card is made of. */
  readonly state: string;
  /** When its manifest was written. */
  readonly writtenAt: Date;
  /** True when rows were written after the summary. */
  readonly hasNewerRows: boolean;
}

/** What is stored of a run beside its rows. */
export interface StoredSummary {
  readonly complete: boolean;
  readonly summary: Readonly<Record<string, JsonSummary>>;
  readonly wallSeconds: number | null;
  /** Null in files of versions that did not count. */
  readonly counts: Readonly<Record<string, TrialCounts>> | null;
}

/** Looks at a folder without reading its files; null when it is no run. */
export function lookAt(dir: string): RunFolder | null {
  const manifest = statOf(join(dir, FILES.manifest));
  if (manifest === undefined) return null;
  const [summary, rows] = [statOf(join(dir, FILES.summary)), statOf(join(dir, FILES.rows))];
  const lock = join(dir, FILES.lock);
  const isRunning = statOf(lock) !== undefined && isRunLocked(lock);
  const files = [manifest, summary, rows].map((file) => (file === undefined ? "-" : `${file.mtimeMs} ${file.size}`));
  return {
    id: basename(dir),
    dir,
    isRunning,
    state: [isRunning, ...files].join(" "),
    writtenAt: manifest.mtime,
    hasNewerRows: (rows?.mtimeMs ?? 0) > (summary?.mtimeMs ?? 0),
  };
}

/** The names in a folder; none when there is no such folder. */
export function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

/** The summary of a run; null when there is none that can be read: it can always be worked out again from the rows. */
export function readStoredSummary(dir: string): StoredSummary | null {
  try {
    const stored = JSON.parse(readFileSync(join(dir, FILES.summary), "utf8")) as Partial<Stored>;
    if (typeof stored.summary !== "object" || stored.summary === null) return null;
    const { complete, summary, timing, counts } = stored;
    const isCounted = Object.values(counts ?? {}).every(({ outcomes }) => typeof outcomes === "object");
    return {
      complete: complete === true,
      summary,
      wallSeconds: timing?.wallSeconds ?? null,
      counts: counts !== undefined && isCounted ? counts : null,
    };
  } catch {
    return null;
  }
}

interface Stored extends Pick<StoredSummary, "complete" | "summary"> {
  timing: { wallSeconds: number };
  counts: Record<string, TrialCounts>;
}

/** Undefined for what is not there, also because a part of its path is a file. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
