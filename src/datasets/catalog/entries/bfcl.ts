import type { Turn } from "../../../core/example.js";
import type { RawRow } from "../../source-row.js";
import { list, RowProblem, text, valueAt } from "../columns.js";
import type { CatalogueEntry, HubSource, RowContext } from "../entry.js";
import { askForCalls, schemaOf, toolsAsContext } from "../tool-calling.js";

const CALLING = ["simple", "multiple", "parallel", "parallel_multiple"];
const LIVE = ["live_simple", "live_multiple", "live_parallel", "live_parallel_multiple"];
/** Configs in which no tool fits and none may be called; they have no file of possible answers. */
const IRRELEVANT = new Set(["irrelevance", "live_irrelevance"]);

/** Only the single-turn categories whose calls are compared, not executed. */
export const bfcl: CatalogueEntry = {
  about: "Requests to answer by calling the right tools with the right arguments, or none.",
  repo: "gorilla-llm/Berkeley-Function-Calling-Leaderboard",
  licence: "apache-2.0",
  size: 400,
  configs: { names: [...CALLING, ...LIVE, ...IRRELEVANT], default: "simple" },
  sources: (config) => [questions(config)],
  lookups: {
    possible_answer: (config) =>
      IRRELEVANT.has(config) ? questions(config) : { files: [`possible_answer/BFCL_v3_${config}.json*`] },
  },
  columns: ["id", "question", "function"],
  examples(row, context) {
    const tools = list(row, "function").map(schemaOf);
    const ground_truth = possibleAnswers(row, context);
    return { id: text(row, "id"), context: toolsAsContext(tools), ...asked(row), ground_truth, tools };
  },
  evaluators: ["tool_call_match"],
  primaryField: "tool_call_match",
};

/** The files have been named both .json and .jsonl. */
function questions(config: string): HubSource {
  return { files: [`BFCL_v3_${config}.json*`] };
}

function possibleAnswers(row: RawRow, { config, lookups }: RowContext): readonly unknown[] {
  if (IRRELEVANT.has(config)) return [];
  const id = text(row, "id");
  const answer = (lookups.possible_answer ?? []).find((each) => valueAt(each, "id") === id);
  if (answer === undefined) throw new RowProblem(`has the id "${id}", which has no possible answer`);
  const calls = list(answer, "ground_truth");
  if (calls.length === 0) throw new RowProblem(`has no call in "ground_truth" of the possible answer "${id}"`);
  return calls;
}

/** A single message is the question; with a system message or earlier messages, all are turns. */
function asked(row: RawRow): { question?: string; turns?: Turn[] } {
  const [first] = list(row, "question");
  const messages = Array.isArray(first) ? first.map((message: RawRow) => messageOf(message)) : [];
  const last = messages.pop();
  if (last === undefined) throw new RowProblem('has no message in "question"');
  const content = askForCalls(last.content);
  return messages.length === 0 ? { question: content } : { turns: [...messages, { ...last, content }] };
}

function messageOf(message: RawRow) {
  return { role: text(message, "role"), content: text(message, "content") };
}
