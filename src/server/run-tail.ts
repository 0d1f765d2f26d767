import { closeSync, fstatSync, readSync } from "node:fs";
import { computePaidCost, type EvalRow, getScore, OUTCOMES, type Outcome } from "../core/index.js";
import type { LiveProgress } from "../report/index.js";
import { decodeRow, encodeKey, openRunFile, RUN_FILES } from "../store/index.js";

type CountedRow = Pick<EvalRow, "system" | "outcome" | "passed">;

type SystemProgress = { -readonly [K in keyof LiveProgress["systems"][number]]: LiveProgress["systems"][number][K] };
type TrialFailure = LiveProgress["failures"][number];

const MAX_FAILURES = 20;
const READ_BLOCK_BYTES = 1 << 20;
const LF = 0x0a;

/** Follows the rows of a run as any process writes them. */
export class RunTail {
  readonly #dir: string;
  readonly #last = new Map<string, CountedRow>();
  readonly #systems = new Map<string, SystemProgress>();
  readonly #outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  #failures: TrialFailure[] = [];
  #costUsd: number | null = null;
  #offset = 0;
  #rest = Buffer.alloc(0);

  constructor(dir: string) {
    this.#dir = dir;
  }

  get done(): number {
    return this.#last.size;
  }

  /** Progress so far, without speed. */
  get progress(): Pick<LiveProgress, "done" | "outcomes" | "costUsd" | "systems" | "failures"> {
    return {
      done: this.done,
      outcomes: { ...this.#outcomes },
      costUsd: this.#costUsd,
      systems: Array.from(this.#systems.values(), (system) => ({ ...system })),
      failures: this.#failures,
    };
  }

  /** Reads what was written since the last call; false if nothing was. */
  async read(): Promise<boolean> {
    const before = this.#offset;
    const file = openRows(this.#dir);
    if (file === null) return false;
    try {
      // A journal that became shorter was repaired or replaced.
      if (fstatSync(file).size < this.#offset) this.#reset();
      while (this.#readBlock(file)) await new Promise((resolve) => setImmediate(resolve));
    } finally {
      closeSync(file);
    }
    return this.#offset !== before;
  }

  #readBlock(file: number): boolean {
    const block = Buffer.alloc(READ_BLOCK_BYTES);
    const length = readSync(file, block, 0, block.length, this.#offset);
    this.#offset += length;
    const bytes = Buffer.concat([this.#rest, block.subarray(0, length)]);
    const end = bytes.lastIndexOf(LF) + 1;
    this.#rest = bytes.subarray(end);
    for (const line of bytes.toString("utf8", 0, end).split("\n")) if (line !== "") this.#addLine(line);
    return length === block.length;
  }

  #addLine(line: string): void {
    const row = tryDecodeRow(line);
    if (row === null) return;
    const key = encodeKey(row);
    const earlier = this.#last.get(key);
    if (earlier !== undefined) this.#count(earlier, -1);
    const { system, outcome, passed } = row;
    this.#last.set(key, { system, outcome, passed });
    this.#count(row, 1);
    this.#addCost(row);
    if (outcome === "fail" || outcome === "error")
      this.#failures = [toFailure(row), ...this.#failures].slice(0, MAX_FAILURES);
  }

  #count({ system, outcome, passed }: CountedRow, by: 1 | -1): void {
    const own = this.#getSystem(system);
    this.#outcomes[outcome] += by;
    own.done += by;
    if (passed === true) own.passed += by;
    if (outcome === "pass" || outcome === "fail") own.scored += by;
    if (outcome === "error") own.errors += by;
  }

  /** The cost of a repeated trial still counts. */
  #addCost(row: EvalRow): void {
    if (row.costUsd === null && row.judgeCostUsd === null && row.userCostUsd === null) return;
    const paid = computePaidCost(row);
    const own = this.#getSystem(row.system);
    own.costUsd = (own.costUsd ?? 0) + paid;
    this.#costUsd = (this.#costUsd ?? 0) + paid;
  }

  #getSystem(system: string): SystemProgress {
    const known = this.#systems.get(system) ?? { system, done: 0, passed: 0, scored: 0, errors: 0, costUsd: null };
    this.#systems.set(system, known);
    return known;
  }

  #reset(): void {
    this.#last.clear();
    this.#systems.clear();
    for (const outcome of OUTCOMES) this.#outcomes[outcome] = 0;
    this.#failures = [];
    this.#costUsd = null;
    this.#offset = 0;
    this.#rest = Buffer.alloc(0);
  }
}

function openRows(dir: string): number | null {
  try {
    return openRunFile(dir, RUN_FILES.rows);
  } catch {
    return null;
  }
}

/** Skips malformed lines; the report describes what is wrong with them. */
function tryDecodeRow(line: string): EvalRow | null {
  try {
    return decodeRow(line);
  } catch {
    return null;
  }
}

function toFailure(row: EvalRow): TrialFailure {
  const { system, dataset, exampleId, trial, outcome, errorCategory: category, attempts, notes } = row;
  const broke = attempts.at(-1)?.message ?? notes[0];
  // A call that failed before the answer came is not why the answer failed.
  const message = ((outcome === "fail" ? formatDecidingScore(row) : broke) ?? broke ?? "").slice(0, 300);
  return { system, dataset, exampleId, trial, outcome, category, message };
}

/** For example `contains 0`; undefined if no score decided. */
function formatDecidingScore(row: EvalRow): string | undefined {
  const field = row.primaryField ?? "score";
  const score = getScore(row, field);
  return score === undefined ? undefined : `${field} ${Number(score.toPrecision(4))}`;
}
