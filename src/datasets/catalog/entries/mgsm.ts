import type { CatalogEntry } from "../entry.js";
import { askForNumber, normalizeNumber, requireGoldText, requireText } from "../row-fields.js";

const LANGUAGES = ["en", "bn", "de", "es", "fr", "ja", "ru", "sw", "te", "th", "zh"];

export const mgsm: CatalogEntry = {
  about: "250 grade school math word problems in eleven languages, translated by people.",
  repo: "juletxara/mgsm",
  license: "cc-by-sa-4.0",
  size: 2750,
  configs: { names: ["all", ...LANGUAGES], default: "all" },
  sources: (config) =>
    listMgsmLanguages(config).map((language) => ({
      config: language,
      split: "test",
      files: [`mgsm_${language}.tsv`],
      subject: language,
    })),
  columns: ["question", "answer_number"],
  header: ["question", "answer_number"],
  examples: (row, { subject }) => ({
    question: askForNumber(requireText(row, "question")),
    answer: normalizeNumber(requireGoldText(row, "answer_number")),
    ...(subject !== undefined && { subject }),
  }),
  evaluators: ["math_equivalence", "answer_quality"],
  primaryField: "math_equiv",
  subject: "subject",
  facets: ["subject"],
};

function listMgsmLanguages(config: string): readonly string[] {
  return config === "all" ? LANGUAGES : [config];
}
