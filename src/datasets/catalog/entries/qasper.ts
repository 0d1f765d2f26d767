import type { RawRow } from "../../source-row.js";
import type { CatalogEntry, ExampleFields } from "../entry.js";
import {
  askForShortAnswer,
  getValueAtPath,
  RowProblem,
  readOptionalText,
  requireGoldTexts,
  requireListValue,
  requireText,
  requireTextList,
} from "../row-fields.js";

const INSTRUCTION = 'If the paper does not say, answer "unanswerable".';

export const qasper: CatalogEntry = {
  about: "Questions about research papers, asked by readers of the title and abstract only.",
  repo: "allenai/qasper",
  license: "cc-by-4.0",
  size: 1005,
  sources: () => [{ config: "qasper", split: "validation" }],
  columns: ["title", "abstract", "full_text", "qas"],
  isExpanding: true,
  examples: (row) => {
    const context = formatPaper(row);
    return requireTextList(row, "qas.question").map((question, index) => ({
      id: requireText(row, `qas.question_id.${index}`),
      context,
      question: `${askForShortAnswer(question)} ${INSTRUCTION}`,
      ...readQasperGold(row, `qas.answers.${index}.answer`),
    }));
  },
  evaluators: ["answer_quality"],
  primaryField: "f1",
};

function formatPaper(row: RawRow): string {
  const sections = requireListValue(row, "full_text.paragraphs").map((_, index) => {
    const name = readOptionalText(row, `full_text.section_name.${index}`);
    return [name, ...requireTextList(row, `full_text.paragraphs.${index}`)]
      .filter((line) => line.trim() !== "")
      .join("\n");
  });
  return [requireText(row, "title"), requireText(row, "abstract"), ...sections]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The annotators' answers. If they disagree on whether there is an answer, both count as right. */
function readQasperGold(row: RawRow, path: string): Partial<ExampleFields> {
  const given = requireListValue(row, path).map((_, index) => readQasperAnswer(row, `${path}.${index}`));
  const answers = given.filter((answer) => answer !== null);
  const isUnanswerable = answers.length < given.length;
  return {
    ...(isUnanswerable && { unanswerable: true }),
    ...((answers.length > 0 || !isUnanswerable) && { answers: requireGoldTexts(answers, path) }),
  };
}

/** One annotator's answer; null for "the paper does not say". */
function readQasperAnswer(row: RawRow, path: string): string | null {
  if (getValueAtPath(row, `${path}.unanswerable`) === true) return null;
  const spans = requireTextList(row, `${path}.extractive_spans`).join(", ").trim();
  const freeForm = readOptionalText(row, `${path}.free_form_answer`).trim();
  const answer = spans || freeForm || formatYesNo(getValueAtPath(row, `${path}.yes_no`));
  if (answer !== "") return answer;
  throw new RowProblem(`has no answer in "${path}"`);
}

function formatYesNo(value: unknown): string {
  if (typeof value !== "boolean") return "";
  return value ? "Yes" : "No";
}
