import type { RawRow } from "../../source-row.js";
import { goldText, goldTexts } from "../answers.js";
import { integer, optionalText, RowProblem, text, texts, valueAt } from "../columns.js";
import type { CatalogueEntry, ExampleFields, RowContext } from "../entry.js";
import { INFINITEBENCH_TASKS, type InfiniteTask } from "../long-task.js";
import { multipleChoice } from "../multiple-choice.js";

const DEFAULT = "longbook_qa_eng";
const LETTERS = "ABCD";

export const infinitebench: CatalogueEntry = {
  about: "12 tasks about texts of 100,000 tokens and more: books, dialogues, code, arithmetic and hidden facts.",
  repo: "xinrongzhang2022/InfiniteBench",
  licence: "apache-2.0",
  size: 351,
  configs: { names: Object.keys(INFINITEBENCH_TASKS), default: DEFAULT },
  sources: (config) => [{ files: [`${config}.jsonl`] }],
  columns: ["id", "context", "answer"],
  optionalColumns: ["input", "options"],
  examples(row, context) {
    const task = taskOf(context.config);
    const question = task.ask(optionalText(row, "input"));
    return {
      id: integer(row, "id"),
      context: text(row, "context"),
      question,
      ...golds(row, { task, question, context }),
    };
  },
  evaluators: (config) => taskOf(config).evaluators,
  primaryField: (config) => taskOf(config).primaryField,
  caution: (config) => taskOf(config).caution,
};

function taskOf(config: string): InfiniteTask {
  const task = INFINITEBENCH_TASKS[config] ?? INFINITEBENCH_TASKS[DEFAULT];
  if (task === undefined) throw new Error(`InfiniteBench has no task "${config}": report this as a bug.`);
  return task;
}

interface Asked {
  task: InfiniteTask;
  question: string;
  context: RowContext;
}

function golds(row: RawRow, { task, question, context }: Asked): Partial<ExampleFields> {
  const answers = answersOf(row);
  if (task.gold === "any") return { answers: goldTexts(answers, "answer") };
  if (task.gold === "sequence") return { answer: `[${answers.join(", ")}]` };
  const options = texts(row, "options").map((option) => option.trim());
  const id = `${context.config} ${integer(row, "id")}`;
  return multipleChoice({ id, question, options, right: rightOf(options, answers) });
}

/**
 * All answers in order, including repeated ones. A single answer is text or a number in some files and a list of one in
 * others; a sequence is a list in some, and a nested list in others.
 */
function answersOf(row: RawRow): string[] {
  const value = valueAt(row, "answer");
  if (!Array.isArray(value)) return [goldText(row, "answer")];
  const answers = texts({ answer: value.flat() }, "answer").map((answer) => answer.trim());
  if (answers.some((answer) => answer !== "")) return answers;
  throw new RowProblem('has no answer in "answer"');
}

/** The answer is the text of an option; in some files its letter follows or replaces it. */
function rightOf(options: readonly string[], [answer = "", letter = answer]: readonly string[]): number {
  const byLetter = letter.length === 1 ? LETTERS.indexOf(letter) : -1;
  if (options[byLetter] === answer) return byLetter;
  const byText = options.indexOf(answer);
  if (byText !== -1) return byText;
  if (byLetter !== -1) return byLetter;
  throw new RowProblem(`has "${answer}" in "answer", which is not one of its "options"`);
}
