import type { RawRow } from "../../source-row.js";
import type { CatalogEntry } from "../entry.js";
import { LONGBENCH_TASKS, type LongTask } from "../long-context-tasks.js";
import {
  getValueAtPath,
  readOptionalText,
  requireGoldTexts,
  requireIntegerValue,
  requireText,
  requireTextList,
} from "../row-fields.js";

const DEFAULT_CONFIG = "narrativeqa";

export const longbench: CatalogEntry = {
  about: "21 tasks about long texts in English, Chinese and code; each is a config.",
  repo: "THUDM/LongBench",
  license: "not stated",
  size: 200,
  configs: { names: Object.keys(LONGBENCH_TASKS), default: DEFAULT_CONFIG },
  sources: (config) => [{ config, split: "test", fallback: { files: ["data.zip"], member: `data/${config}.jsonl` } }],
  columns: ["_id", "input", "context", "answers", "length", "language"],
  optionalColumns: ["all_classes"],
  examples(row, { config }) {
    const classes = readClasses(row);
    const question = [
      getLongbenchTask(config).ask(readOptionalText(row, "input")),
      ...formatLabelInstruction(classes),
    ].join("\n\n");
    return {
      id: requireText(row, "_id"),
      context: requireText(row, "context"),
      question,
      answers: requireGoldTexts(requireTextList(row, "answers"), "answers"),
      length: requireIntegerValue(row, "length"),
      language: requireText(row, "language"),
      ...(classes.length === 0 ? {} : { all_classes: classes }),
    };
  },
  evaluators: (config) => getLongbenchTask(config).evaluators,
  primaryField: (config) => getLongbenchTask(config).primaryField,
  caution: (config) => getLongbenchTask(config).caution,
};

function getLongbenchTask(config: string): LongTask {
  const task = LONGBENCH_TASKS[config] ?? LONGBENCH_TASKS[DEFAULT_CONFIG];
  if (task === undefined) throw new Error(`LongBench has no task "${config}": report this as a bug.`);
  return task;
}

function readClasses(row: RawRow): string[] {
  const value = getValueAtPath(row, "all_classes");
  return value === null || value === undefined ? [] : requireTextList(row, "all_classes");
}

/** Without a list of labels, a model would have to collect them from the examples and might miss some. */
function formatLabelInstruction(classes: readonly string[]): string[] {
  return classes.length === 0 ? [] : [`Answer with one of these alone: ${classes.join("; ")}.`];
}
