import { type Example, UsageError } from "../../core/index.js";
import { closeFiles, convertRow, isBadRow, openRowFile } from "../../datasets/index.js";
import type { KnownAnswer, MockBehavior, MockScript } from "./script.js";

/** Replaces the files that a script names as `answers` with their content. */
export async function loadScriptAnswers({ models, ...script }: MockScript): Promise<MockScript> {
  const base = await loadBehaviorAnswers(script);
  if (models === undefined) return base;
  const own: [string, MockBehavior][] = [];
  for (const [name, behavior] of Object.entries(models)) own.push([name, await loadBehaviorAnswers(behavior)]);
  return { ...base, models: Object.fromEntries(own) };
}

async function loadBehaviorAnswers<T extends MockBehavior>(behavior: T): Promise<T> {
  const { answers } = behavior;
  return typeof answers === "string" ? { ...behavior, answers: await readAnswers(answers) } : behavior;
}

/** Reads a file of examples in any dataset format; skips rows without a question or an answer. */
export async function readAnswers(path: string): Promise<KnownAnswer[]> {
  const entries: KnownAnswer[] = [];
  const file = await openRowFile({ path });
  try {
    for await (const batch of file.batches())
      for (const source of batch) {
        if (isBadRow(source)) throw new UsageError(`${file.at(source.line)}: the row ${source.problem}. Fix the row.`);
        const converted = convertRow(source.row, { textOnly: file.textOnly });
        if ("example" in converted) entries.push(...toKnownAnswers(converted.example));
      }
  } finally {
    await closeFiles([file]);
  }
  if (entries.length > 0) return entries;
  throw new UsageError(`${path} has no row with both a question and an answer. Use a file that has them.`);
}

function toKnownAnswers({ question = "", answer, answers, context }: Example): KnownAnswer[] {
  const right = answer ?? answers?.[0] ?? "";
  if (question === "" || right === "") return [];
  return [{ question, answer: right, ...(context === undefined ? {} : { context }) }];
}
