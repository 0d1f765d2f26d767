import type { CatalogEntry } from "../entry.js";
import { requireGoldText, requireText } from "../row-fields.js";
import { BBH_TASKS } from "../subject-lists.js";

const INSTRUCTION = 'End with "The answer is" and the answer alone: for options with letters, the letter in brackets.';

export const bbh: CatalogEntry = {
  about: "27 BIG-Bench tasks on which models were worse than people, most of them multi-step.",
  repo: "lukaemon/bbh",
  license: "not stated",
  size: 6511,
  configs: { names: ["all", ...BBH_TASKS], default: "all" },
  sources: (config) => listBbhTasks(config).map((task) => ({ config: task, split: "test", subject: task })),
  columns: ["input", "target"],
  examples: (row, { subject }) => ({
    question: `${requireText(row, "input").trim()}\n\n${INSTRUCTION}`,
    answer: requireGoldText(row, "target"),
    ...(subject !== undefined && { subject }),
  }),
  evaluators: ["final_answer", "answer_quality"],
  primaryField: "final_answer",
  subject: "subject",
  facets: ["subject"],
};

function listBbhTasks(config: string): readonly string[] {
  return config === "all" ? BBH_TASKS : [config];
}
