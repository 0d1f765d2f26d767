import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { TrialKey } from "../core/index.js";
import { BATCHES_SCHEMA, type BatchEntry, type BatchLog } from "../models/index.js";
import { encodeKey } from "./row-codec.js";
import { readRunLines } from "./run-file.js";

export const BATCHES_FILE = "batches.jsonl";

/** The batches of a run on disk: what was sent, before it is sent, and what became of it. */
export class BatchJournal implements BatchLog {
  readonly entries: readonly BatchEntry[];
  readonly #path: string;
  #systems: ReadonlySet<string> = new Set();
  #isJudgeBatched = false;
  /** Trials with requests that were sent one by one. */
  readonly #live = new Set<string>();

  /** Opens the file of a run; a torn last line must have been removed. */
  constructor(dir: string) {
    this.#path = join(dir, BATCHES_FILE);
    this.entries = readBatchEntries(dir);
    for (const entry of this.entries) this.#note(entry);
  }

  append(entry: BatchEntry): void {
    this.#note(entry);
    appendFileSync(this.#path, `${JSON.stringify({ schema: BATCHES_SCHEMA, ...entry })}\n`);
  }

  /**
   * True if a trial that is cut off loses nothing: whatever it has sent is in a batch, which the next start of the run waits
   * for.
   */
  keepsCall(trial: TrialKey, by: "system" | "judge"): boolean {
    const isBatched = by === "system" ? this.#systems.has(trial.system) : this.#isJudgeBatched;
    return isBatched && !this.#live.has(encodeKey(trial));
  }

  #note(entry: BatchEntry): void {
    if (entry.kind === "open") {
      this.#systems = new Set(entry.systems);
      this.#isJudgeBatched = entry.isJudgeBatched;
    }
    if (entry.kind !== "live") return;
    for (const { system = "", dataset = "", exampleId = "", trial = 0 } of entry.requests)
      this.#live.add(encodeKey({ system, dataset, exampleId, trial }));
  }
}

function readBatchEntries(dir: string): BatchEntry[] {
  return Array.from(readRunLines(dir, BATCHES_FILE), ({ text }) => JSON.parse(text) as BatchEntry);
}
