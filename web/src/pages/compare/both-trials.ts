import type { Outcome } from "../../../../src/core/row.js";
import type { TaskName } from "../../../../src/metrics/compare/index.js";
import type { TrialView } from "../../../../src/report/dashboard/contract.js";
import type { DataSource, TrialKey } from "../../data/source.js";
import { findTrialByOutcome } from "../trial/find-trial.js";
import { listPossibleIds } from "./task-word.js";

/** One trial of each side. */
export interface TrialPair {
  readonly a: TrialView;
  readonly b: TrialView;
}

/** The trial that one side is shown by. */
export interface SideTrialQuery {
  readonly run: string;
  readonly system: string;
  readonly task: TaskName;
  /** Its number, where the address says one. */
  readonly named: string | undefined;
  readonly ended: Outcome | undefined;
}

/** The trials of both sides. */
export async function loadTrialPair(source: DataSource, ofA: SideTrialQuery, ofB: SideTrialQuery): Promise<TrialPair> {
  const [a, b] = await Promise.all([loadSideTrial(source, ofA), loadSideTrial(source, ofB)]);
  return { a, b };
}

async function loadSideTrial(
  source: DataSource,
  { run, system, task, named, ended }: SideTrialQuery,
): Promise<TrialView> {
  const key = { ...task, system, trial: Number(named ?? 0) };
  if (named !== undefined || ended === undefined) return loadTrialByTypedId(source, run, key);
  return source.getTrial(run, await findTrialByOutcome(source, run, { key, outcome: ended }));
}

/** An id that somebody typed may be a number or a text. */
async function loadTrialByTypedId(source: DataSource, run: string, key: TrialKey): Promise<TrialView> {
  const [first = key.exampleId, second] =
    typeof key.exampleId === "number" ? [key.exampleId, String(key.exampleId)] : listPossibleIds(key.exampleId);
  try {
    return await source.getTrial(run, { ...key, exampleId: first });
  } catch (error) {
    if (second === undefined) throw error;
    return source.getTrial(run, { ...key, exampleId: second });
  }
}

/** A text of one side, as far as it can be had. */
export interface SideText {
  readonly text: string;
  readonly isCut: boolean;
}

export interface SideTextQuery {
  readonly view: TrialView;
  /** Of a field of the output. */
  readonly name: string | undefined;
}

/** The text of a field; a file may have its beginning alone. */
export async function loadSideText(source: DataSource, run: string, { view, name }: SideTextQuery): Promise<SideText> {
  const field = view.output.find((candidate) => candidate.name === name);
  if (field === undefined) return { text: "", isCut: false };
  if (field.text.length >= field.length) return { text: field.text, isCut: false };
  if (source.kind === "file") return { text: field.text, isCut: true };
  return { text: await source.getText(run, view.row, { of: "output", name: field.name }), isCut: false };
}
