import { createRandom, hashSeed, permutation } from "../../../stats/index.js";
import type { RawRow } from "../../source-row.js";
import { goldText } from "../answers.js";
import { text } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";
import { multipleChoice } from "../multiple-choice.js";

const RIGHT = "Correct Answer";
const WRONG = ["Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3"];

export const gpqa: CatalogueEntry = {
  about: "Biology, physics and chemistry questions that experts can answer but a search engine cannot.",
  repo: "Idavidrein/gpqa",
  licence: "cc-by-4.0",
  isGated: true,
  size: 198,
  configs: { names: ["gpqa_diamond", "gpqa_main", "gpqa_extended"], default: "gpqa_diamond" },
  sources: (config) => [{ config, split: "train", files: [`${config}.csv`] }],
  columns: ["Record ID", "Question", RIGHT, ...WRONG, "High-level domain"],
  examples: (row) => {
    const id = text(row, "Record ID");
    return {
      id,
      ...multipleChoice({ id, question: text(row, "Question"), ...optionsOf(row, id) }),
      "High-level domain": text(row, "High-level domain"),
    };
  },
  evaluators: ["multiple_choice_accuracy", "answer_quality"],
  primaryField: "mc_accuracy",
  subject: "High-level domain",
  facets: ["High-level domain"],
};

/** The file lists the correct option first, so asking in file order would give it away. */
function optionsOf(row: RawRow, id: string) {
  const columns = [RIGHT, ...WRONG];
  const order = [...permutation(columns.length, createRandom(hashSeed(1, id)))];
  const drawn = order.map((index) => columns[index] as string);
  return { options: drawn.map((column) => goldText(row, column)), right: drawn.indexOf(RIGHT), filePositions: order };
}
