import type { LoadOptions } from "../../core/dataset.js";
import { DatasetError } from "../../core/errors.js";
import { nearest } from "../../core/suggest.js";
import { matches, scalarText } from "../../datasets/columns.js";
import { takeSample } from "../../datasets/sample.js";
import type { FileQuestion } from "./memory-file.js";

type Choice = Pick<LoadOptions, "filter" | "maxExamples" | "head" | "seed" | "shuffleSeed">;

const SHOWN_VALUES = 10;

/** The questions that a filter keeps, or a sample of them. */
export function chooseQuestions(
  questions: readonly FileQuestion[],
  name: string,
  { filter = {}, maxExamples, head, seed, shuffleSeed = seed }: Choice,
): readonly FileQuestion[] {
  if (questions.length === 0) throw new DatasetError(`The file of ${name} holds no question.`);
  requireFields(questions, name, filter);
  const found = questions.filter((question) => matches(question, filter));
  if (found.length === 0) throw nothingFound(questions, name, filter);
  const sampling = {
    ...(maxExamples === undefined ? {} : { maxExamples }),
    ...(head === undefined ? {} : { head }),
    ...(shuffleSeed === undefined ? {} : { seed: shuffleSeed }),
  };
  return takeSample(found, sampling, ({ question_type }) => question_type);
}

type Filter = NonNullable<LoadOptions["filter"]>;

/** A field that no question has is a slip of the pen, not a filter that keeps nothing. */
function requireFields(questions: readonly FileQuestion[], name: string, filter: Filter): void {
  const asked = Object.keys(filter);
  if (asked.length === 0) return;
  const known = fieldsOf(questions);
  const missing = asked.find((field) => !known.includes(field));
  if (missing === undefined) return;
  const guess = nearest(missing, known);
  const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
  throw new DatasetError(
    `No question of ${name} has a field "${missing}" that a filter can compare.${hint} Its fields: ${known.join(", ")}.`,
  );
}

/** Those that hold single values: a list equals nothing that a filter can say. */
function fieldsOf(questions: readonly FileQuestion[]): string[] {
  const fields = new Set<string>(["question_type", "conversation"]);
  for (const question of questions)
    for (const [field, value] of Object.entries(question)) if (scalarText(value) !== undefined) fields.add(field);
  return [...fields];
}

function nothingFound(questions: readonly FileQuestion[], name: string, filter: Filter): DatasetError {
  const asked = Object.entries(filter).map(([field, value]) => `${field}=${value}`);
  const values = Object.keys(filter).map((field) => `Values of ${field}: ${valuesOf(questions, field)}.`);
  return new DatasetError(`No question of ${name} has ${asked.join(" and ")}. ${values.join(" ")}`);
}

function valuesOf(questions: readonly FileQuestion[], field: string): string {
  const values = new Set(questions.flatMap((question) => scalarText(question[field])?.slice(0, 40) ?? []));
  const shown = [...values].slice(0, SHOWN_VALUES).join(", ");
  return values.size > SHOWN_VALUES ? `${shown}, …` : shown;
}
