import { EXIT, type Example, NothingToRunError, omitUndefined, registry, UsageError } from "../core/index.js";
import { formatPlural } from "../report/index.js";
import { EVALUATOR_FIELDS } from "../systems/index.js";
import type { DatasetsOptions } from "./commands/datasets.js";
import { loadWithProgress } from "./progress.js";
import { isMemoryDataset, selectLoadOptions } from "./resolve.js";
import { printNote, writeResult } from "./streams.js";

/** `assay datasets export NAME`: one example per line, the same as a run with the same flags would use. */
export async function exportDataset(spec: string, options: DatasetsOptions): Promise<number> {
  if (isMemoryDataset(spec))
    throw new UsageError(`${spec} contains conversations for memories, which are not examples. Use: assay memory.`);
  const { maxExamples, head, seed, shuffleSeed, map, filter, skipBadRows, answers = true } = options;
  const load = selectLoadOptions(omitUndefined({ maxExamples, head, seed, shuffleSeed, map, filter, skipBadRows }));
  const { examples, notes = [] } = await loadWithProgress(spec, { ...load, registry });
  for (const note of notes) printNote(note);
  if (examples.length === 0) throw new NothingToRunError(`${spec} has no examples that match.`);
  const hidden = answers
    ? []
    : [...EVALUATOR_FIELDS, ...[map?.answer, map?.answers].filter((name) => name !== undefined)];
  await writeResult(formatLines(examples, new Set(hidden)));
  printNote(
    `${formatPlural(examples.length, "example")} of ${spec}. Write one {"id", "response"} per line and measure them with: assay --replay outputs.jsonl --dataset ${spec}`,
  );
  return EXIT.fine;
}

function* formatLines(examples: readonly Example[], hidden: ReadonlySet<string>): Generator<string> {
  for (const example of examples) {
    const shown = Object.entries(example).filter(([field]) => !hidden.has(field));
    yield `${JSON.stringify(Object.fromEntries(shown))}\n`;
  }
}
