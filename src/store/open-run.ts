import { basename } from "node:path";
import { RunFolderError } from "../core/errors.js";
import { fingerprintOf } from "../core/fingerprint.js";
import { paidFor } from "../core/price.js";
import type { EvalConfig } from "../core/result.js";
import type { Attempt, EvalRow, Outcome, TrialKey } from "../core/row.js";
import type { System } from "../core/system.js";
import { VERSION } from "../core/version.js";
import { storedCost, type UngradedOutput } from "../runner/call.js";
import { type Earlier, NOTHING_EARLIER } from "../runner/ledger.js";
import { isPlanned, type Plan, rowIndex } from "../runner/plan.js";
import { gitRevision } from "./git.js";
import { Journal, readManifest } from "./journal.js";
import { differences, type Manifest, type PlanIdentity, RUN_SCHEMA, type SystemRecord } from "./manifest.js";
import type { JournalMoney } from "./money.js";
import { readUngraded } from "./outputs.js";
import { encodeKey, trialKey } from "./row-codec.js";
import { makeRunDir, newRunId } from "./run-folder.js";

export interface OpenRun {
  journal: Journal | null;
  earlier: Earlier;
  notes: readonly string[];
}

export interface StoreOptions {
  runsDir?: string | undefined;
  resume?: string | undefined;
  invocation?: unknown;
  /** The run whose outputs are graded again. */
  parent?: Manifest["parent"] | undefined;
}

/** Opens the store of a run: a stored run to resume, a new folder, or nothing if the run is not stored. */
export function openRun(plan: Plan, config: EvalConfig, options: StoreOptions): OpenRun {
  if (options.resume === undefined && options.runsDir === undefined)
    return { journal: null, earlier: NOTHING_EARLIER, notes: [] };
  const identity = identityOf(plan, config);
  if (options.resume !== undefined) return resumeRun(options.resume, plan, identity);
  const now = new Date();
  const dir = makeRunDir(options.runsDir ?? "", newRunId(config.title, now));
  const { invocation, parent } = options;
  const journal = Journal.create(dir, manifestOf(identity, { runId: basename(dir), now, invocation, parent }));
  journal.writeExamples(plan.examples);
  return { journal, earlier: NOTHING_EARLIER, notes: [] };
}

export function identityOf(plan: Plan, config: EvalConfig): PlanIdentity {
  const records = plan.systems.map((system): [string, SystemRecord] => [system.name, recordOf(system)]);
  return { planned: plan.total, config, systems: Object.fromEntries(records) };
}

function recordOf(system: System): SystemRecord {
  const { model, harness, limits } = system;
  return {
    fingerprint: fingerprintOf(system, "process"),
    ...(model === undefined ? {} : { model }),
    ...(harness === undefined ? {} : { harness }),
    ...(limits === undefined ? {} : { limits }),
  };
}

interface AboutRun {
  runId: string;
  now: Date;
  invocation: unknown;
  parent: Manifest["parent"] | undefined;
}

function manifestOf(identity: PlanIdentity, about: AboutRun): Manifest {
  return {
    schema: RUN_SCHEMA,
    runId: about.runId,
    createdAt: about.now.toISOString(),
    assayVersion: VERSION,
    nodeVersion: process.version,
    platform: `${process.platform}-${process.arch}`,
    gitRevision: gitRevision(process.cwd()),
    ...identity,
    ...(about.parent === undefined ? {} : { parent: about.parent }),
    invocation: about.invocation ?? null,
  };
}

function resumeRun(dir: string, plan: Plan, identity: PlanIdentity): OpenRun {
  const stored = readManifest(dir);
  const changed = differences(stored, identity);
  if (changed.length > 0) {
    throw new RunFolderError(
      `${dir} was planned differently, so its rows cannot be mixed with new ones:\n  ${changed.join("\n  ")}\nStart a new run instead; with a cache folder, valid outputs are reused.`,
    );
  }
  const { journal, rows, money, notes } = Journal.resume(dir);
  const found = earlierOf(plan, rows, dir);
  settleOpen(journal, money, found);
  const { lostUsd, lostTrials, unknownUsd } = money;
  const sum = (of: Outcome) => rows.reduce((total, row) => total + (row.outcome === of ? paidFor(row) : 0), 0);
  const besides = { lostUsd: lostUsd + sum("skipped"), lostTrials, repeatedUsd: sum("error"), unknownUsd };
  const spentUsd = found.paidUsd + lostUsd + unknownUsd;
  const lost = found.dropped.map(({ output }) => output.workspace?.incomplete ?? "");
  return {
    journal,
    earlier: { rows: found.rows, attempts: found.attempts, outputs: found.outputs, spentUsd, besides },
    notes: [...notes, ...ungradedNotes(found.outputs.size, lost), ...priceNotes(stored, identity)],
  };
}

/** Counts reservations of interrupted trials as spent, except for known costs: stored outputs contain their cost. */
function settleOpen(journal: Journal, money: JournalMoney, { outputs, dropped, indexOf }: Found): void {
  const lose = (trial: TrialKey, usd: number) => {
    const entry = { ...trialKey(trial), kind: "settle", usd, why: "lost" } as const;
    journal.appendMoney(entry);
    money.take(entry);
  };
  const droppedKeys = new Set(dropped.map(encodeKey));
  for (const reserved of money.open) {
    const index = indexOf(reserved);
    const hasOutput = (index !== undefined && outputs.has(index)) || droppedKeys.has(encodeKey(reserved));
    lose(reserved, hasOutput ? (reserved.judgeUsd ?? 0) : reserved.usd);
  }
  for (const { output, call, ...trial } of dropped) {
    lose(trial, storedCost(output, call) ?? 0);
    journal.dropOutput(trial, `it could not be graded: ${output.workspace?.incomplete ?? ""}`);
  }
  journal.flush();
}

function ungradedNotes(stored: number, lost: readonly string[]): string[] {
  const notes: string[] = [];
  if (stored > 0) notes.push(`stored outputs that are graded now: ${stored}`);
  for (const why of new Set(lost)) {
    const count = lost.filter((each) => each === why).length;
    notes.push(`trials run again because their workspace was not stored (${why}): ${count}`);
  }
  return notes;
}

/** Rows keep the cost at the time they were written, so one run may mix two prices. */
function priceNotes(stored: Manifest, { systems }: PlanIdentity): string[] {
  return Object.entries(systems).flatMap(([name, { limits }]) => {
    const before = stored.systems[name]?.limits;
    if (JSON.stringify(before?.price) === JSON.stringify(limits?.price)) return [];
    return `${name}: its price has changed since the run was started; earlier rows keep the old one (assay report --prices recomputes all of them)`;
  });
}

interface Found extends Pick<Earlier, "rows" | "attempts" | "outputs"> {
  /** Cost of all stored rows, valid or not, and of outputs to be graded. */
  paidUsd: number;
  /** Outputs that can no longer be graded. */
  dropped: readonly UngradedOutput[];
  indexOf: RowFinder;
}

/** Sorts stored results into valid rows, outputs to grade, and trials to retry. */
function earlierOf(plan: Plan, stored: readonly EvalRow[], dir: string): Found {
  const indexOf = rowFinder(plan);
  const rows = new Map<number, EvalRow>();
  const attempts = new Map<number, readonly Attempt[]>();
  for (const row of stored) {
    const index = indexOf(row);
    if (index === undefined) continue;
    if (row.outcome === "error" || row.outcome === "skipped") attempts.set(index, row.attempts);
    else rows.set(index, row);
  }
  const outputs = readUngraded(dir, (trial) => {
    const index = indexOf(trial);
    return index === undefined || rows.has(index) ? undefined : index;
  });
  const dropped: UngradedOutput[] = [];
  for (const [index, ungraded] of outputs) {
    if (ungraded.output.workspace?.incomplete === undefined) continue;
    dropped.push(ungraded);
    outputs.delete(index);
  }
  let paidUsd = stored.reduce((total, row) => total + paidFor(row), 0);
  for (const { output, call } of outputs.values()) paidUsd += storedCost(output, call) ?? 0;
  return { rows, attempts, outputs, paidUsd, dropped, indexOf };
}

/** Returns the index of a row in the plan. */
export type RowFinder = (row: TrialKey) => number | undefined;

export function rowFinder(plan: Plan): RowFinder {
  const systems = new Map(plan.systems.map(({ name }, index) => [name, index]));
  const examples = findExamples(plan);
  return (row) => {
    const systemIndex = systems.get(row.system);
    const exampleIndex = examples.get(row.dataset)?.get(String(row.exampleId));
    if (systemIndex === undefined || exampleIndex === undefined) return undefined;
    if (!isPlanned(plan, { systemIndex, exampleIndex, trial: row.trial })) return undefined;
    return rowIndex(plan, systemIndex, exampleIndex, row.trial);
  };
}

/** Indexes the examples of a plan by dataset and id: a combined key would be a new string for each example. */
function findExamples({ examples }: Plan): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const places = new Map<string, Map<string, number>>();
  for (const [index, { dataset = "", id }] of examples.entries()) {
    const ids = places.get(dataset) ?? new Map<string, number>();
    places.set(dataset, ids.set(String(id), index));
  }
  return places;
}
