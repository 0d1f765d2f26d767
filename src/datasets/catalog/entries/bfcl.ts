import type { Turn } from "../../../core/index.js";
import type { RawRow } from "../../source-row.js";
import type { CatalogEntry, HubSource, RowContext } from "../entry.js";
import { getValueAtPath, RowProblem, requireListValue, requireText } from "../row-fields.js";
import { askForCalls, convertToolSchema, formatToolsContext } from "../tool-calling.js";

const CALLING_CONFIGS = ["simple", "multiple", "parallel", "parallel_multiple"];
const LIVE_CONFIGS = ["live_simple", "live_multiple", "live_parallel", "live_parallel_multiple"];
/** Configs in which no tool fits and none may be called; they have no file of possible answers. */
const IRRELEVANCE_CONFIGS = new Set(["irrelevance", "live_irrelevance"]);

/** Only the single-turn categories whose calls are compared, not executed. */
export const bfcl: CatalogEntry = {
  about: "Requests to answer by calling the right tools with the right arguments, or none.",
  repo: "gorilla-llm/Berkeley-Function-Calling-Leaderboard",
  license: "apache-2.0",
  size: 400,
  configs: { names: [...CALLING_CONFIGS, ...LIVE_CONFIGS, ...IRRELEVANCE_CONFIGS], default: "simple" },
  sources: (config) => [getQuestionSource(config)],
  lookups: {
    possible_answer: (config) =>
      IRRELEVANCE_CONFIGS.has(config)
        ? getQuestionSource(config)
        : { files: [`possible_answer/BFCL_v3_${config}.json*`] },
  },
  columns: ["id", "question", "function"],
  examples(row, context) {
    const tools = requireListValue(row, "function").map(convertToolSchema);
    const ground_truth = findPossibleAnswers(row, context);
    return {
      id: requireText(row, "id"),
      context: formatToolsContext(tools),
      ...buildBfclPrompt(row),
      ground_truth,
      tools,
    };
  },
  evaluators: ["tool_call_match"],
  primaryField: "tool_call_match",
};

/** The files have been named both .json and .jsonl. */
function getQuestionSource(config: string): HubSource {
  return { files: [`BFCL_v3_${config}.json*`] };
}

function findPossibleAnswers(row: RawRow, { config, lookups }: RowContext): readonly unknown[] {
  if (IRRELEVANCE_CONFIGS.has(config)) return [];
  const id = requireText(row, "id");
  const answer = (lookups.possible_answer ?? []).find((each) => getValueAtPath(each, "id") === id);
  if (answer === undefined) throw new RowProblem(`has the id "${id}", which has no possible answer`);
  const calls = requireListValue(answer, "ground_truth");
  if (calls.length === 0) throw new RowProblem(`has no call in "ground_truth" of the possible answer "${id}"`);
  return calls;
}

/** A single message is the question; with a system message or earlier messages, all are turns. */
function buildBfclPrompt(row: RawRow): { question?: string; turns?: Turn[] } {
  const [first] = requireListValue(row, "question");
  const messages = Array.isArray(first) ? first.map((message: RawRow) => readBfclMessage(message)) : [];
  const last = messages.pop();
  if (last === undefined) throw new RowProblem('has no message in "question"');
  const content = askForCalls(last.content);
  return messages.length === 0 ? { question: content } : { turns: [...messages, { ...last, content }] };
}

function readBfclMessage(message: RawRow) {
  return { role: requireText(message, "role"), content: requireText(message, "content") };
}
