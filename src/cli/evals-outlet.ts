import type { EvalResult, EvalRow, RenderedReport } from "../core/index.js";
import { EXIT } from "../core/index.js";
import { formatDollars, formatSeconds } from "../report/index.js";
import type { RunOutlet } from "./report.js";
import { printNote, writeResult } from "./streams.js";

/** Shows several runs, one after the other. */
export interface EvalsOutlet extends RunOutlet {
  begin(file: string): void;
  /** Called if the run could not be made. */
  fail(message: string): Promise<void>;
  end(exitCode: number): Promise<void>;
  /** Called after the last run. */
  finishAll(): Promise<void>;
}

/** Prints each report as it is ready, and totals at the end. */
export class TextOutlet implements EvalsOutlet {
  readonly #hasTotals: boolean;
  readonly #clock: () => number;
  readonly #start: number;
  readonly #rows: EvalRow[] = [];
  #file = "";
  #passed = 0;
  #failed = 0;

  constructor({ hasTotals, clock = () => performance.now() }: { hasTotals: boolean; clock?: () => number }) {
    this.#hasTotals = hasTotals;
    this.#clock = clock;
    this.#start = clock();
  }

  begin(file: string): void {
    this.#file = file;
  }

  write(report: RenderedReport): Promise<void> {
    return writeResult(report);
  }

  finish({ rows, runDir }: EvalResult, messages: readonly string[]): void {
    for (const row of rows) this.#rows.push(row);
    if (this.#hasTotals) return;
    if (runDir !== null) printNote(`Stored in ${runDir}`);
    for (const message of messages) printNote(message);
  }

  async fail(message: string): Promise<void> {
    if (this.#hasTotals) await writeResult(`✗ ${this.#file}  not run\n    ${message.replaceAll("\n", "\n    ")}\n`);
    else printNote(`assay: ${this.#file}: ${message}`);
  }

  async end(exitCode: number): Promise<void> {
    if (exitCode === EXIT.fine) this.#passed += 1;
    else this.#failed += 1;
  }

  async finishAll(): Promise<void> {
    if (!this.#hasTotals) return;
    const count = (outcome: EvalRow["outcome"]) => this.#rows.filter((row) => row.outcome === outcome).length;
    const costs = this.#rows.flatMap(({ costUsd }) => costUsd ?? []);
    const lines = [
      ["Evals", joinCounts({ passed: this.#passed, failed: this.#failed })],
      [
        "Trials",
        joinCounts({
          passed: count("pass"),
          failed: count("fail"),
          errors: count("error"),
          "not scored": count("unscored"),
          "not run": count("skipped"),
        }),
      ],
      ...(costs.length === 0 ? [] : [["Cost", formatDollars(costs.reduce((sum, cost) => sum + cost, 0))]]),
      ["Duration", formatSeconds((this.#clock() - this.#start) / 1000)],
    ];
    await writeResult(`\n${lines.map(([name = "", value]) => `${name.padStart(9)}  ${value}\n`).join("")}`);
  }
}

/** `2 passed | 1 failed (3)` */
function joinCounts(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  const total = parts.reduce((sum, [, count]) => sum + count, 0);
  return total === 0 ? "none" : `${parts.map(([name, count]) => `${count} ${name}`).join(" | ")} (${total})`;
}

/** Prints one JSON object with the report of each run. */
export class JsonOutlet implements EvalsOutlet {
  #file = "";
  #parts = 0;
  #report: RenderedReport | null = null;
  #error: string | null = null;
  #messages: readonly string[] = [];

  begin(file: string): void {
    [this.#file, this.#report, this.#error, this.#messages] = [file, null, null, []];
  }

  async write(report: RenderedReport): Promise<void> {
    this.#report = report;
  }

  finish(_: EvalResult, messages: readonly string[]): void {
    this.#messages = messages;
  }

  async fail(message: string): Promise<void> {
    this.#error = message;
    printNote(`assay: ${this.#file}: ${message}`);
  }

  async end(exitCode: number): Promise<void> {
    await writeResult(this.#parts === 0 ? `{\n"schema": "assay.evals/1",\n"evals": [` : ",");
    this.#parts += 1;
    const about = { file: this.#file, exitCode, error: this.#error, failedGates: this.#messages };
    await writeResult(`\n${JSON.stringify(about).slice(0, -1)}, "report": `);
    await writeResult(this.#report ?? "null");
    await writeResult("}");
  }

  async finishAll(): Promise<void> {
    await writeResult("\n]\n}\n");
  }
}
