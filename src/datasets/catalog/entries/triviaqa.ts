import type { RawRow } from "../../source-row.js";
import type { CatalogEntry, ExampleFields } from "../entry.js";
import { askForShortAnswer, requireGoldText, requireGoldTexts, requireText, requireTextList } from "../row-fields.js";

export const triviaqa: CatalogEntry = {
  about: "Quiz questions with the web pages or Wikipedia articles found for them.",
  repo: "mandarjoshi/trivia_qa",
  license: "unknown",
  size: 17944,
  sources: () => [{ config: "rc", split: "validation" }],
  columns: ["question", "entity_pages.wiki_context", "search_results.search_context", "answer.value", "answer.aliases"],
  examples: (row) => ({
    ...readTriviaContext(row),
    question: askForShortAnswer(requireText(row, "question")),
    answers: requireGoldTexts(
      [requireGoldText(row, "answer.value"), ...requireTextList(row, "answer.aliases")],
      "answer.value",
    ),
  }),
  evaluators: ["answer_quality"],
  primaryField: "f1",
};

/** Rows from Wikipedia have no search results: their pages are in a separate column. */
function readTriviaContext(row: RawRow): Partial<ExampleFields> {
  const found = readPages(row, "search_results.search_context");
  const articles = readPages(row, "entity_pages.wiki_context");
  const pages = found.length > 0 ? found : articles;
  return pages.length > 0 ? { context: pages.join("\n\n") } : {};
}

function readPages(row: RawRow, path: string): string[] {
  return requireTextList(row, path)
    .map((page) => page.trim())
    .filter((page) => page !== "");
}
