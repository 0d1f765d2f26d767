import type { RawRow } from "../../source-row.js";
import type { CatalogEntry, ExampleFields, RowContext } from "../entry.js";
import { INFINITEBENCH_TASKS, type InfiniteTask } from "../long-context-tasks.js";
import { buildMultipleChoice } from "../multiple-choice.js";
import {
  getValueAtPath,
  RowProblem,
  readOptionalText,
  requireGoldText,
  requireGoldTexts,
  requireIntegerValue,
  requireText,
  requireTextList,
} from "../row-fields.js";

const DEFAULT_CONFIG = "longbook_qa_eng";
const LETTERS = "ABCD";

export const infinitebench: CatalogEntry = {
  about: "12 tasks about texts of 100,000 tokens and more: books, dialogues, code, arithmetic and hidden facts.",
  repo: "xinrongzhang2022/InfiniteBench",
  license: "apache-2.0",
  size: 351,
  configs: { names: Object.keys(INFINITEBENCH_TASKS), default: DEFAULT_CONFIG },
  sources: (config) => [{ files: [`${config}.jsonl`] }],
  columns: ["id", "context", "answer"],
  optionalColumns: ["input", "options"],
  examples(row, context) {
    const task = getInfiniteTask(context.config);
    const question = task.ask(readOptionalText(row, "input"));
    return {
      id: requireIntegerValue(row, "id"),
      context: requireText(row, "context"),
      question,
      ...buildGoldFields(row, { task, question, context }),
    };
  },
  evaluators: (config) => getInfiniteTask(config).evaluators,
  primaryField: (config) => getInfiniteTask(config).primaryField,
  caution: (config) => getInfiniteTask(config).caution,
};

function getInfiniteTask(config: string): InfiniteTask {
  const task = INFINITEBENCH_TASKS[config] ?? INFINITEBENCH_TASKS[DEFAULT_CONFIG];
  if (task === undefined) throw new Error(`InfiniteBench has no task "${config}": report this as a bug.`);
  return task;
}

interface InfiniteQuestion {
  task: InfiniteTask;
  question: string;
  context: RowContext;
}

function buildGoldFields(row: RawRow, { task, question, context }: InfiniteQuestion): Partial<ExampleFields> {
  const answers = readInfiniteAnswers(row);
  if (task.gold === "any") return { answers: requireGoldTexts(answers, "answer") };
  if (task.gold === "sequence") return { answer: `[${answers.join(", ")}]` };
  const options = requireTextList(row, "options").map((option) => option.trim());
  const id = `${context.config} ${requireIntegerValue(row, "id")}`;
  return buildMultipleChoice({ id, question, options, right: findCorrectOption(options, answers) });
}

/**
 * All answers in order, including repeated ones. A single answer is text or a number in some files and a list of one in
 * others; a sequence is a list in some, and a nested list in others.
 */
function readInfiniteAnswers(row: RawRow): string[] {
  const value = getValueAtPath(row, "answer");
  if (!Array.isArray(value)) return [requireGoldText(row, "answer")];
  const answers = requireTextList({ answer: value.flat() }, "answer").map((answer) => answer.trim());
  if (answers.some((answer) => answer !== "")) return answers;
  throw new RowProblem('has no answer in "answer"');
}

/** The answer is the text of an option; in some files its letter follows or replaces it. */
function findCorrectOption(options: readonly string[], [answer = "", letter = answer]: readonly string[]): number {
  const byLetter = letter.length === 1 ? LETTERS.indexOf(letter) : -1;
  if (options[byLetter] === answer) return byLetter;
  const byText = options.indexOf(answer);
  if (byText !== -1) return byText;
  if (byLetter !== -1) return byLetter;
  throw new RowProblem(`has "${answer}" in "answer", which is not one of its "options"`);
}
