import type { EvalRow, TrialKey } from "../../core/index.js";
import type { StoredExample } from "../../store/index.js";
import { formatJson } from "../timeline.js";
import { cutExcerpt, isShownBefore } from "./choose-trial.js";
import type { ExampleExcerpts, TrialExcerpts } from "./contract.js";
import type { TrialFiles } from "./trial-files.js";

export interface ExcerptRequest {
  dir: string;
  rows: readonly EvalRow[];
  dataset: string;
  ids: readonly (string | number)[];
  files: TrialFiles;
}

/** The beginnings of the texts of some examples of a dataset, in the order of `ids`. */
export async function readExcerpts({ dir, rows, dataset, ids, files }: ExcerptRequest): Promise<ExampleExcerpts[]> {
  const shown = new Map(ids.map((id) => [id, new Map<string, EvalRow>()]));
  for (const row of rows) {
    const systems = row.dataset === dataset ? shown.get(row.exampleId) : undefined;
    const known = systems?.get(row.system);
    if (known === undefined || isShownBefore(row, known)) systems?.set(row.system, row);
  }
  const trials = [...shown.values()].flatMap((systems) => [...systems.values()]);
  const known = [...shown].flatMap(([exampleId, { size }]) => (size === 0 ? [] : [{ dataset, exampleId }]));
  const examples = await files.readExamples(dir, known);
  const outputs = await files.readOutputs(dir, trials);
  const texts = new Map(trials.map((row, place) => [row, toExcerpt(outputs[place]?.output.response)]));
  return known.map(({ exampleId }, place) => ({
    dataset,
    exampleId,
    ...toExampleExcerpts(examples[place]),
    responses: [...(shown.get(exampleId) ?? [])].map(([system, row]) => ({ system, text: texts.get(row) ?? null })),
  }));
}

/** The beginnings of the texts of some trials, in the order of `keys`. */
export async function readTrialExcerpts(
  dir: string,
  keys: readonly TrialKey[],
  files: TrialFiles,
): Promise<TrialExcerpts[]> {
  const examples = await files.readExamples(dir, keys);
  const outputs = await files.readOutputs(dir, keys);
  return keys.map((_, place) => ({
    ...toExampleExcerpts(examples[place]),
    response: toExcerpt(outputs[place]?.output.response),
  }));
}

function toExampleExcerpts(example: StoredExample | null | undefined): Pick<TrialExcerpts, "question" | "expected"> {
  return {
    question: toExcerpt(example?.question ?? example?.turns),
    expected: toExcerpt(example?.answer ?? example?.answers),
  };
}

function toExcerpt(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return cutExcerpt(typeof value === "string" ? value : formatJson(value, 0));
}
