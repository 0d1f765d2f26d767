import type { RawRow } from "../../source-row.js";
import { goldText, goldTexts, shortAnswer } from "../answers.js";
import { text, texts } from "../columns.js";
import type { CatalogueEntry, ExampleFields } from "../entry.js";

export const triviaqa: CatalogueEntry = {
  about: "Quiz questions with the web pages or Wikipedia articles found for them.",
  repo: "mandarjoshi/trivia_qa",
  licence: "unknown",
  size: 17944,
  sources: () => [{ config: "rc", split: "validation" }],
  columns: ["question", "entity_pages.wiki_context", "search_results.search_context", "answer.value", "answer.aliases"],
  examples: (row) => ({
    ...contextOf(row),
    question: shortAnswer(text(row, "question")),
    answers: goldTexts([goldText(row, "answer.value"), ...texts(row, "answer.aliases")], "answer.value"),
  }),
  evaluators: ["answer_quality"],
  primaryField: "f1",
};

/** Rows from Wikipedia have no search results: their pages are in a separate column. */
function contextOf(row: RawRow): Partial<ExampleFields> {
  const found = pagesOf(row, "search_results.search_context");
  const articles = pagesOf(row, "entity_pages.wiki_context");
  const pages = found.length > 0 ? found : articles;
  return pages.length > 0 ? { context: pages.join("\n\n") } : {};
}

function pagesOf(row: RawRow, path: string): string[] {
  return texts(row, path)
    .map((page) => page.trim())
    .filter((page) => page !== "");
}
