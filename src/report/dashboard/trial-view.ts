import type { Environment } from "../../core/environment.js";
import { RunFolderError } from "../../core/errors.js";
import { type EvalRow, scoreOf, type TrialKey } from "../../core/row.js";
import type { StoredExample } from "../../store/examples.js";
import type { Manifest } from "../../store/manifest.js";
import type { StoredOutput } from "../../store/outputs.js";
import { trajectoryOf, workspaceOf } from "../timeline-output.js";
import { tokenClasses } from "./charts/class-totals.js";
import type { TrialView } from "./contract.js";
import { fileChanges } from "./file-changes.js";
import { knownPrice } from "./known-price.js";
import { timelineOf } from "./timeline.js";
import { exampleFields, outputFields, shownField } from "./trial-fields.js";
import { TrialFiles } from "./trial-files.js";

export interface TrialRequest {
  /** The folder of the run; null when it is not kept, so that there is no more than the row. */
  dir: string | null;
  rows: readonly EvalRow[];
  key: TrialKey;
  threshold: number;
  /** The id of the run. */
  run: string;
  /** What the run knows of its systems; their prices are taken from it. */
  systems: Manifest["systems"];
  /** What is known of the files from earlier looks; without it they are gone through again. */
  files?: TrialFiles;
}

/**
 * One trial with all that is known of it.
 * @example
 * await trialView({ dir, rows: result.rows, key, threshold: 0.7, run: card.id, systems: manifest.systems, files });
 */
export async function trialView(request: TrialRequest): Promise<TrialView> {
  const { rows, key, threshold, run, systems, dir, files = new TrialFiles() } = request;
  const row = rows.find((candidate) => isSame(candidate, key));
  if (row === undefined) throw missing(`The run ${run} has no such trial`, key);
  const siblings = rows.filter((other) => isSameExample(other, key) && !isSame(other, key));
  return viewOf({ row, siblings, threshold, run, systems, ...(await storedOf(dir, key, files)) });
}

/** What is kept of one trial. */
export interface StoredTrial {
  example: StoredExample | null;
  stored: StoredOutput | null;
}

/** Reads what is kept of one trial. */
export async function storedOf(dir: string | null, key: TrialKey, files: TrialFiles): Promise<StoredTrial> {
  if (dir === null) return { example: null, stored: null };
  const [example, stored] = await Promise.all([files.example(dir, key), files.output(dir, key)]);
  return { example, stored };
}

/** All that a view of a trial is made of. */
export interface TrialParts extends StoredTrial {
  row: EvalRow;
  siblings: readonly EvalRow[];
  threshold: number;
  run: string;
  systems: Manifest["systems"];
}

/** The view of a trial whose texts are read already. */
export function viewOf({ row, siblings, threshold, run, systems, example, stored }: TrialParts): TrialView {
  const output = stored?.output ?? null;
  const trajectory = trajectoryOf(output);
  const workspace = output === null ? null : workspaceOf(output);
  return {
    run,
    row,
    threshold,
    example: example === null ? null : exampleFields(example).map(shownField),
    output: output === null ? [] : outputFields(output).map(shownField),
    evidence: stored?.evidence ?? {},
    grades: stored?.grades ?? [],
    timeline: trajectory === null ? null : timelineOf(trajectory),
    changes: workspace === null ? null : fileChanges(workspace, example?.environment as Environment | undefined),
    ...(workspace?.incomplete === undefined ? {} : { changesIncomplete: workspace.incomplete }),
    classes: tokenClasses([row], knownPrice(systems, row.system)),
    siblings: siblings.map(siblingOf),
  };
}

export interface TrialTextRequest {
  dir: string;
  key: TrialKey;
  of: "example" | "output";
  /** Of a field. */
  name: string;
  files?: TrialFiles;
}

/** The whole of a text that a trial shows the beginning of. */
export async function trialText({ dir, key, of, name, files = new TrialFiles() }: TrialTextRequest): Promise<string> {
  const { example, stored } = await storedOf(dir, key, files);
  const fields = of === "example" ? example && exampleFields(example) : stored && outputFields(stored.output);
  const field = fields?.find((candidate) => candidate.name === name);
  if (field !== undefined) return field.text;
  throw missing(`The run keeps no field ${JSON.stringify(name)} of the ${of} of this trial`, key);
}

function missing(what: string, { system, dataset, exampleId, trial }: TrialKey): RunFolderError {
  const place = `system ${system}, dataset ${dataset || "(none)"}, example ${exampleId}, trial ${trial}`;
  return new RunFolderError(`${what} (${place}). Look it up in the list of trials.`);
}

function isSameExample(row: EvalRow, { dataset, exampleId }: TrialKey): boolean {
  return row.exampleId === exampleId && row.dataset === dataset;
}

function isSame(row: EvalRow, key: TrialKey): boolean {
  return isSameExample(row, key) && row.system === key.system && row.trial === key.trial;
}

function siblingOf(row: EvalRow): TrialView["siblings"][number] {
  const { system, dataset, exampleId, trial, outcome } = row;
  return { system, dataset, exampleId, trial, outcome, score: scoreOf(row, "score") ?? null };
}
