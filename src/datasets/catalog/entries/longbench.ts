import type { RawRow } from "../../source-row.js";
import { goldTexts } from "../answers.js";
import { integer, optionalText, text, texts, valueAt } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";
import { LONGBENCH_TASKS, type LongTask } from "../long-task.js";

const DEFAULT = "narrativeqa";

export const longbench: CatalogueEntry = {
  about: "21 tasks about long texts in English, Chinese and code; each is a config.",
  repo: "THUDM/LongBench",
  licence: "not stated",
  size: 200,
  configs: { names: Object.keys(LONGBENCH_TASKS), default: DEFAULT },
  sources: (config) => [{ config, split: "test", fallback: { files: ["data.zip"], member: `data/${config}.jsonl` } }],
  columns: ["_id", "input", "context", "answers", "length", "language"],
  optionalColumns: ["all_classes"],
  examples(row, { config }) {
    const classes = classesOf(row);
    const question = [taskOf(config).ask(optionalText(row, "input")), ...labelsAsked(classes)].join("\n\n");
    return {
      id: text(row, "_id"),
      context: text(row, "context"),
      question,
      answers: goldTexts(texts(row, "answers"), "answers"),
      length: integer(row, "length"),
      language: text(row, "language"),
      ...(classes.length === 0 ? {} : { all_classes: classes }),
    };
  },
  evaluators: (config) => taskOf(config).evaluators,
  primaryField: (config) => taskOf(config).primaryField,
  caution: (config) => taskOf(config).caution,
};

function taskOf(config: string): LongTask {
  const task = LONGBENCH_TASKS[config] ?? LONGBENCH_TASKS[DEFAULT];
  if (task === undefined) throw new Error(`LongBench has no task "${config}": report this as a bug.`);
  return task;
}

function classesOf(row: RawRow): string[] {
  const value = valueAt(row, "all_classes");
  return value === null || value === undefined ? [] : texts(row, "all_classes");
}

/** Without a list of labels, a model would have to collect them from the examples and might miss some. */
function labelsAsked(classes: readonly string[]): string[] {
  return classes.length === 0 ? [] : [`Answer with one of these alone: ${classes.join("; ")}.`];
}
