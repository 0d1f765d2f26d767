import { goldText } from "../answers.js";
import { BBH_TASKS } from "../bbh-tasks.js";
import { text } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";

const ASK = 'End with "The answer is" and the answer alone: for options with letters, the letter in brackets.';

export const bbh: CatalogueEntry = {
  about: "27 BIG-Bench tasks on which models were worse than people, most of them multi-step.",
  repo: "lukaemon/bbh",
  licence: "not stated",
  size: 6511,
  configs: { names: ["all", ...BBH_TASKS], default: "all" },
  sources: (config) => tasksOf(config).map((task) => ({ config: task, split: "test", subject: task })),
  columns: ["input", "target"],
  examples: (row, { subject }) => ({
    question: `${text(row, "input").trim()}\n\n${ASK}`,
    answer: goldText(row, "target"),
    ...(subject !== undefined && { subject }),
  }),
  evaluators: ["final_answer", "answer_quality"],
  primaryField: "final_answer",
  subject: "subject",
  facets: ["subject"],
};

function tasksOf(config: string): readonly string[] {
  return config === "all" ? BBH_TASKS : [config];
}
