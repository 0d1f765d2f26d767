import { basename } from "node:path";
import type { Attempt, EvalConfig, EvalRow, Outcome, System, TrialKey } from "../core/index.js";
import {
  canonicalJson,
  computeFingerprint,
  computePaidCost,
  findMissingChanges,
  RunFolderError,
  UsageError,
  VERSION,
} from "../core/index.js";
import {
  computeStoredCost,
  type EarlierResults,
  getRowIndex,
  isPlanned,
  NO_EARLIER_RESULTS,
  type Plan,
  type UngradedOutput,
} from "../runner/index.js";
import { readGitRevision } from "./git.js";
import type { JournalSpend } from "./journal.js";
import { RunJournal, readManifest } from "./journal.js";
import { addTags } from "./labels.js";
import { listPlanDifferences, type Manifest, type PlanIdentity, RUN_SCHEMA, type SystemRecord } from "./manifest.js";
import { readUngraded } from "./outputs.js";
import { encodeKey, pickTrialKey } from "./row-codec.js";
import { createRunId, makeRunDir } from "./run-folder.js";

export interface OpenRun {
  journal: RunJournal | null;
  earlier: EarlierResults;
  notes: readonly string[];
}

export interface StoreOptions {
  runsDir?: string | undefined;
  resume?: string | undefined;
  invocation?: unknown;
  /** The run whose outputs are graded again. */
  parent?: Manifest["parent"] | undefined;
  /** Tags of the new run. */
  tags?: readonly string[] | undefined;
  /** The budget of the run is stored, so that readers know it before the run has ended. */
  budget?: { readonly run?: { readonly maxCostUsd: number } | undefined } | undefined;
}

/** Opens the store of a run: a stored run to resume, a new folder, or nothing if the run is not stored. */
export function openRunStore(plan: Plan, config: EvalConfig, options: StoreOptions): OpenRun {
  if (options.resume === undefined && options.runsDir === undefined)
    return { journal: null, earlier: NO_EARLIER_RESULTS, notes: [] };
  const identity = buildPlanIdentity(plan, config);
  if (options.resume !== undefined) return resumeRun(options.resume, plan, identity);
  const now = new Date();
  const dir = makeRunDir(options.runsDir ?? "", createRunId(config.title, now));
  const { invocation, parent, tags = [], budget } = options;
  const about = { runId: basename(dir), now, invocation, parent, maxCostUsd: budget?.run?.maxCostUsd };
  const journal = RunJournal.create(dir, createManifest(identity, about));
  if (tags.length > 0) addTags(dir, tags, options.runsDir ?? "");
  journal.writeExamples(plan.examples);
  return { journal, earlier: NO_EARLIER_RESULTS, notes: [] };
}

export function buildPlanIdentity(plan: Plan, config: EvalConfig): PlanIdentity {
  const records = plan.systems.map((system): [string, SystemRecord] => [system.name, buildSystemRecord(system)]);
  return { planned: plan.total, config, systems: Object.fromEntries(records) };
}

function buildSystemRecord(system: System): SystemRecord {
  const { model, harness, effort, prompt, limits } = system;
  return {
    fingerprint: computeFingerprint(system, "process"),
    ...(model === undefined ? {} : { model }),
    ...(harness === undefined ? {} : { harness }),
    ...(effort === undefined ? {} : { effort }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(limits === undefined ? {} : { limits }),
  };
}

interface ManifestDetails {
  runId: string;
  now: Date;
  invocation: unknown;
  parent: Manifest["parent"] | undefined;
  maxCostUsd: number | undefined;
}

function createManifest(identity: PlanIdentity, about: ManifestDetails): Manifest {
  return {
    schema: RUN_SCHEMA,
    runId: about.runId,
    createdAt: about.now.toISOString(),
    assayVersion: VERSION,
    nodeVersion: process.version,
    platform: `${process.platform}-${process.arch}`,
    gitRevision: readGitRevision(process.cwd()),
    ...identity,
    ...(about.maxCostUsd === undefined ? {} : { maxCostUsd: about.maxCostUsd }),
    ...(about.parent === undefined ? {} : { parent: about.parent }),
    invocation: about.invocation ?? null,
  };
}

function resumeRun(dir: string, plan: Plan, identity: PlanIdentity): OpenRun {
  const stored = readManifest(dir);
  requireSameQuestion(dir, stored.config.until, identity.config.until);
  const changed = listPlanDifferences(stored, identity);
  if (changed.length > 0) {
    throw new RunFolderError(
      `${dir} was planned differently, so its rows cannot be mixed with new ones:\n  ${changed.join("\n  ")}\nStart a new run instead; with a cache folder, valid outputs are reused.`,
    );
  }
  const { journal, rows, money, notes } = RunJournal.resume(dir);
  const found = readStoredResults(plan, rows, dir);
  settleOpenReservations(journal, money, found);
  const { lostUsd, lostTrials, unknownUsd, canaryUsd } = money;
  const sum = (of: Outcome) => rows.reduce((total, row) => total + (row.outcome === of ? computePaidCost(row) : 0), 0);
  const besides = { lostUsd: lostUsd + sum("skipped"), lostTrials, repeatedUsd: sum("error"), unknownUsd, canaryUsd };
  const spentUsd = found.paidUsd + lostUsd + unknownUsd + canaryUsd;
  const lost = found.dropped.map(({ output }) => findMissingChanges(output) ?? "");
  return {
    journal,
    earlier: { rows: found.rows, attempts: found.attempts, outputs: found.outputs, spentUsd, besides },
    notes: [...notes, ...listUngradedNotes(found.outputs.size, lost), ...listPriceNotes(stored, identity)],
  };
}

/** Another question would be asked of tasks that were chosen by the first one's answer. */
function requireSameQuestion(dir: string, stored: EvalConfig["until"], wanted: EvalConfig["until"]): void {
  if (canonicalJson(stored ?? null) === canonicalJson(wanted ?? null)) return;
  const name = (until: EvalConfig["until"]) =>
    until === undefined
      ? "without --until"
      : `with --until "${until.question}"${until.margin === undefined ? "" : ` --margin ${until.margin}`}, ${until.quality}, ${1 - until.alpha} confidence, population ${until.population}`;
  const remedy =
    stored === undefined
      ? "Remove --until, or start a new run."
      : "Leave --until away to go on with it, pass --until none to run its other tasks too, or start a new run.";
  throw new UsageError(
    `${dir} was started ${name(stored)}, and cannot be resumed ${name(wanted)}: its guarantee would be lost. ${remedy}`,
  );
}

/** Counts reservations of interrupted trials as spent, except for known costs: stored outputs contain their cost. */
function settleOpenReservations(
  journal: RunJournal,
  money: JournalSpend,
  { outputs, dropped, indexOf }: StoredResults,
): void {
  const lose = (trial: TrialKey, usd: number, why: "lost" | "unused" = "lost") => {
    const entry = { ...pickTrialKey(trial), kind: "settle", usd, why } as const;
    journal.appendMoney(entry);
    money.add(entry);
  };
  const droppedKeys = new Set(dropped.map(encodeKey));
  for (const reserved of money.open) {
    const index = indexOf(reserved);
    const hasOutput = (index !== undefined && outputs.has(index)) || droppedKeys.has(encodeKey(reserved));
    // A request in a batch is not lost, and neither is the judging of an output that does not exist yet.
    if (journal.keepsCall(reserved, hasOutput ? "judge" : "system")) lose(reserved, 0, "unused");
    else lose(reserved, hasOutput ? (reserved.judgeUsd ?? 0) : reserved.usd);
  }
  for (const { output, call, ...trial } of dropped) {
    lose(trial, computeStoredCost(output, call) ?? 0);
    journal.dropOutput(trial, `it could not be graded: ${findMissingChanges(output) ?? ""}`);
  }
  journal.flush();
}

function listUngradedNotes(stored: number, lost: readonly string[]): string[] {
  const notes: string[] = [];
  if (stored > 0) notes.push(`stored outputs that are graded now: ${stored}`);
  for (const why of new Set(lost)) {
    const count = lost.filter((each) => each === why).length;
    notes.push(`trials run again because their workspace was not stored (${why}): ${count}`);
  }
  return notes;
}

/** Rows keep the cost at the time they were written, so one run may mix two prices. */
function listPriceNotes(stored: Manifest, { systems }: PlanIdentity): string[] {
  return Object.entries(systems).flatMap(([name, { limits }]) => {
    const before = stored.systems[name]?.limits;
    if (JSON.stringify(before?.price) === JSON.stringify(limits?.price)) return [];
    return `${name}: its price has changed since the run was started; earlier rows keep the old one (assay report --prices recomputes all of them)`;
  });
}

interface StoredResults extends Pick<EarlierResults, "rows" | "attempts" | "outputs"> {
  /** Cost of all stored rows, valid or not, and of outputs to be graded. */
  paidUsd: number;
  /** Outputs that can no longer be graded. */
  dropped: readonly UngradedOutput[];
  indexOf: RowLookup;
}

/** Sorts stored results into valid rows, outputs to grade, and trials to retry. */
function readStoredResults(plan: Plan, stored: readonly EvalRow[], dir: string): StoredResults {
  const indexOf = createRowLookup(plan);
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
    if (findMissingChanges(ungraded.output) === undefined) continue;
    dropped.push(ungraded);
    outputs.delete(index);
  }
  let paidUsd = stored.reduce((total, row) => total + computePaidCost(row), 0);
  for (const { output, call } of outputs.values()) paidUsd += computeStoredCost(output, call) ?? 0;
  return { rows, attempts, outputs, paidUsd, dropped, indexOf };
}

/** Returns the index of a row in the plan. */
export type RowLookup = (row: TrialKey) => number | undefined;

export function createRowLookup(plan: Plan): RowLookup {
  const systems = new Map(plan.systems.map(({ name }, index) => [name, index]));
  const examples = indexExamples(plan);
  return (row) => {
    const systemIndex = systems.get(row.system);
    const exampleIndex = examples.get(row.dataset)?.get(String(row.exampleId));
    if (systemIndex === undefined || exampleIndex === undefined) return undefined;
    if (!isPlanned(plan, { systemIndex, exampleIndex, trial: row.trial })) return undefined;
    return getRowIndex(plan, systemIndex, exampleIndex, row.trial);
  };
}

/** Indexes the examples of a plan by dataset and id: a combined key would be a new string for each example. */
function indexExamples({ examples }: Plan): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const places = new Map<string, Map<string, number>>();
  for (const [index, { dataset = "", id }] of examples.entries()) {
    const ids = places.get(dataset) ?? new Map<string, number>();
    places.set(dataset, ids.set(String(id), index));
  }
  return places;
}
