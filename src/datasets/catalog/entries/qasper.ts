import type { RawRow } from "../../source-row.js";
import { goldTexts, shortAnswer } from "../answers.js";
import { list, optionalText, RowProblem, text, texts, valueAt } from "../columns.js";
import type { CatalogueEntry, ExampleFields } from "../entry.js";

const ASK = 'If the paper does not say, answer "unanswerable".';

export const qasper: CatalogueEntry = {
  about: "Questions about research papers, asked by readers of the title and abstract only.",
  repo: "allenai/qasper",
  licence: "cc-by-4.0",
  size: 1005,
  sources: () => [{ config: "qasper", split: "validation" }],
  columns: ["title", "abstract", "full_text", "qas"],
  isExpanding: true,
  examples: (row) => {
    const context = paperOf(row);
    return texts(row, "qas.question").map((question, index) => ({
      id: text(row, `qas.question_id.${index}`),
      context,
      question: `${shortAnswer(question)} ${ASK}`,
      ...goldOf(row, `qas.answers.${index}.answer`),
    }));
  },
  evaluators: ["answer_quality"],
  primaryField: "f1",
};

function paperOf(row: RawRow): string {
  const sections = list(row, "full_text.paragraphs").map((_, index) => {
    const name = optionalText(row, `full_text.section_name.${index}`);
    return [name, ...texts(row, `full_text.paragraphs.${index}`)].filter((line) => line.trim() !== "").join("\n");
  });
  return [text(row, "title"), text(row, "abstract"), ...sections].filter((part) => part !== "").join("\n\n");
}

/** The annotators' answers. If they disagree on whether there is an answer, both count as right. */
function goldOf(row: RawRow, path: string): Partial<ExampleFields> {
  const given = list(row, path).map((_, index) => answerOf(row, `${path}.${index}`));
  const answers = given.filter((answer) => answer !== null);
  const isUnanswerable = answers.length < given.length;
  return {
    ...(isUnanswerable && { unanswerable: true }),
    ...((answers.length > 0 || !isUnanswerable) && { answers: goldTexts(answers, path) }),
  };
}

/** One annotator's answer; null for "the paper does not say". */
function answerOf(row: RawRow, path: string): string | null {
  if (valueAt(row, `${path}.unanswerable`) === true) return null;
  const spans = texts(row, `${path}.extractive_spans`).join(", ").trim();
  const freeForm = optionalText(row, `${path}.free_form_answer`).trim();
  const answer = spans || freeForm || yesOrNo(valueAt(row, `${path}.yes_no`));
  if (answer !== "") return answer;
  throw new RowProblem(`has no answer in "${path}"`);
}

function yesOrNo(value: unknown): string {
  if (typeof value !== "boolean") return "";
  return value ? "Yes" : "No";
}
