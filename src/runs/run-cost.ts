import { findPrice } from "../budget/index.js";
import type { EvalRow, Output, Price } from "../core/index.js";
import { computePaidCost, RunFolderError } from "../core/index.js";
import { type CostReport, hasNoCosts, type OtherCosts, readTrajectory, SystemBill } from "../report/index.js";
import { encodeKey, type Manifest, readMoney, readOutputs, readRows } from "../store/index.js";
import { readCountedRows, readStoredRows } from "./load-run.js";

/** A stored run, or a part of it. */
export interface RunCostOptions {
  readonly dir: string;
  readonly manifest: Manifest;
  /** Default: all that figures count. */
  readonly rows?: readonly EvalRow[];
}

/**
 * Splits the bills of a stored run by what they paid for. Outputs are read one after the other, because they may be larger
 * than memory.
 * @example
 * const { systems } = await loadRunCost({ dir, manifest: readManifest(dir) });
 */
export async function loadRunCost({ dir, manifest, rows: chosen }: RunCostOptions): Promise<CostReport> {
  const counted = readCountedRows(dir, manifest);
  const rows = (chosen ?? counted.rows).filter(({ outcome, costUsd }) => outcome !== "skipped" || costUsd !== null);
  if (rows.length === 0) throw new RunFolderError(`${dir} has no finished trials, so nothing was paid yet.`);
  if (hasNoCosts(rows)) throw createNoCostsError(dir);
  const bills = new BillCollector(manifest);
  const waiting = new Map(rows.map((row) => [encodeKey(row), row]));
  for (const stored of readOutputs(dir)) {
    const key = encodeKey(stored);
    const row = waiting.get(key);
    if (row === undefined) continue;
    waiting.delete(key);
    await bills.add(row, stored.output);
  }
  for (const row of waiting.values()) await bills.add(row, null);
  const aside = sumPaid(readStoredRows(dir, manifest)) - sumPaid(counted.rows);
  return {
    schema: "assay.cost/1",
    run: dir,
    ...bills.build(),
    ...(chosen === undefined ? { besides: readOtherCosts(dir, manifest, aside) } : {}),
  };
}

function createNoCostsError(dir: string): RunFolderError {
  return new RunFolderError(
    `${dir}: no trial has a cost or tokens, so there is nothing to split. A system reports them as "usage" or "costUsd" of its output; models and agents report them always.`,
  );
}

class BillCollector {
  readonly #manifest: Manifest;
  readonly #bills: ReadonlyMap<string, SystemBill>;
  /** By model: its price today, which counts only where it explains the stored cost. */
  readonly #prices = new Map<string, Price | null>();

  constructor(manifest: Manifest) {
    this.#manifest = manifest;
    this.#bills = new Map(manifest.config.systems.map((name) => [name, new SystemBill(name)]));
  }

  async add(row: EvalRow, output: Output | null): Promise<void> {
    const record = this.#manifest.systems[row.system];
    await this.#loadPrices(output, record?.model);
    this.#bills.get(row.system)?.add({
      row,
      output,
      isPlainModel: record?.harness === "api",
      price: record?.limits?.price ?? null,
      findModelPrice: (model) => this.#prices.get(model) ?? null,
    });
  }

  /** Agents also call small models besides their own. */
  async #loadPrices(output: Output | null, own: string | undefined): Promise<void> {
    for (const { type, model } of readTrajectory(output)?.events ?? []) {
      if (type !== "token_usage" || typeof model !== "string" || model === own || this.#prices.has(model)) continue;
      this.#prices.set(model, await findPrice({ model }));
    }
  }

  build(): Pick<CostReport, "systems" | "notes"> {
    const bills = [...this.#bills.values()].map((bill) => ({ cost: bill.build(), notes: bill.listNotes() }));
    const used = bills.filter(({ cost }) => cost.trials > 0);
    return { systems: used.map(({ cost }) => cost), notes: used.flatMap(({ notes }) => notes) };
  }
}

function readOtherCosts(dir: string, manifest: Manifest, asideUsd: number): OtherCosts {
  const { canaryUsd, lostUsd, unknownUsd } = readMoney(dir);
  const repeatedUsd = sumPaid(readRows(dir)) - sumPaid(readStoredRows(dir, manifest));
  return { canaryUsd, repeatedUsd: dropRounding(repeatedUsd), lostUsd, unknownUsd, asideUsd: dropRounding(asideUsd) };
}

function sumPaid(rows: readonly EvalRow[]): number {
  return rows.reduce((sum, row) => sum + computePaidCost(row), 0);
}

/** A difference of sums in floating point may not be 0 where it should be. */
function dropRounding(usd: number): number {
  return Math.round(usd * 1e12) / 1e12;
}
