import { basename } from "node:path";
import {
  didYouMean,
  type EvalConfig,
  type EvalRow,
  type Example,
  isScored,
  nameStoredBaseline,
  RunFolderError,
  type StoredBaseline,
  UsageError,
} from "../core/index.js";
import { describeRunDifferences } from "../metrics/index.js";
import type { Plan } from "../runner/index.js";
import { decodeRow, encodeRow, type Manifest, readManifest, readRunLines } from "../store/index.js";
import { writePiecesAtomically } from "../utils/index.js";
import { readCountedRows, readStoredRows } from "./load-run.js";

/** The rows of a stored run that another run is compared with, copied so that its report needs no other folder. */
export const BASELINE_ROWS_FILE = "baseline.jsonl";

/** Chooses the system of a stored run that others are compared with: the named one, its only one, or their namesake. */
export function chooseStoredBaseline(
  dir: string,
  { system, systems }: { system?: string | undefined; systems: readonly string[] },
): StoredBaseline {
  const { config, runId } = requireWholeSample(dir);
  const [namesake] = systems.length === 1 ? config.systems.filter((name) => name === systems[0]) : [];
  const chosen = system ?? (config.systems.length === 1 ? config.systems[0] : namesake);
  if (chosen !== undefined && config.systems.includes(chosen)) return { run: runId, system: chosen };
  if (chosen === undefined)
    throw new UsageError(
      `${dir} has several systems: ${config.systems.join(", ")}. Name the one to compare with: --against-system NAME.`,
    );
  throw new UsageError(
    `--against-system ${chosen}: ${dir} has no system with this name.${didYouMean(chosen, config.systems)}`,
  );
}

/** The tasks of a run that stopped because of its results are no sample of all of them. */
export function requireWholeSample(dir: string): Manifest {
  const manifest = readManifest(dir);
  const { until } = manifest.config;
  if (until !== undefined && readStoredRows(dir, manifest).length < manifest.planned)
    throw new UsageError(
      `${dir} was run with --until "${until.question}" and stopped early, so it has only a part of its tasks. Run the others first: assay run --resume ${basename(dir)} --until none`,
    );
  return manifest;
}

interface ComparingRun {
  plan: Plan;
  config: EvalConfig;
  against: StoredBaseline;
}

/** The trials of a stored system in the tasks of a new run, named as there. Throws if they have no task in common. */
export function loadStoredBaseline(
  dir: string,
  { plan, config, against }: ComparingRun,
): { rows: EvalRow[]; notes: string[] } {
  const manifest = readManifest(dir);
  const find = indexExamples(plan.examples, config.datasets.length === 1 && manifest.config.datasets.length === 1);
  const system = nameStoredBaseline(against);
  const own = readCountedRows(dir, manifest).rows.filter((row) => row.system === against.system);
  const rows = own.flatMap((row) => {
    const example = find(row);
    return example === undefined ? [] : [{ ...row, system, dataset: example.dataset ?? "", exampleId: example.id }];
  });
  const scored = new Set(rows.filter(isScored).map(encodeTask));
  if (scored.size === 0)
    throw new UsageError(
      `${dir} has no scored trial of ${against.system} in any task of this run, so nothing can be compared. Its tasks are such as ${own[0] === undefined ? "none" : encodeTask(own[0])}, those of this run such as ${encodeTask(toTask(plan.examples[0]))}.`,
    );
  const missing = plan.examples.length - scored.size;
  return {
    rows,
    notes: [
      ...describeRunDifferences(manifest.config, config).map((note) => `${against.run} is A, this run is B: ${note}`),
      ...(missing === 0 ? [] : [`tasks without a score in ${against.run}, which decide nothing: ${missing}`]),
    ],
  };
}

/** As `assay compare` pairs them: datasets of different names match if each run has only one. */
function indexExamples(examples: readonly Example[], isAlone: boolean): (row: EvalRow) => Example | undefined {
  const encode = (task: Pick<EvalRow, "dataset" | "exampleId">) =>
    isAlone ? String(task.exampleId) : encodeTask(task);
  const byTask = new Map(examples.map((example) => [encode(toTask(example)), example]));
  return (row) => byTask.get(encode(row));
}

function toTask(example: Example | undefined): Pick<EvalRow, "dataset" | "exampleId"> {
  return { dataset: example?.dataset ?? "", exampleId: example?.id ?? "" };
}

function encodeTask({ dataset, exampleId }: Pick<EvalRow, "dataset" | "exampleId">): string {
  return dataset === "" ? String(exampleId) : `${dataset} ${exampleId}`;
}

export function storeBaselineRows(dir: string, rows: readonly EvalRow[]): void {
  writePiecesAtomically(
    `${dir}/${BASELINE_ROWS_FILE}`,
    rows.map((row) => `${encodeRow(row)}\n`),
  );
}

/** The rows that `storeBaselineRows` wrote. */
export function readBaselineRows(dir: string): EvalRow[] {
  const rows = [...readRunLines(dir, BASELINE_ROWS_FILE)].map(({ text }) => decodeRow(text));
  if (rows.length > 0) return rows;
  throw new RunFolderError(
    `${dir} lacks ${BASELINE_ROWS_FILE}, the rows of the stored run that it is compared with. Restore the file, or start a new run.`,
  );
}
