import { fileURLToPath } from "node:url";
import type { MockScript } from "../../src/testing/mock/script.js";
import type { TestFileContent } from "../../src/testing/temp-project.js";
import { PRICE } from "./bill.js";

/** Kills per scenario. */
export const KILLS = Number(process.env.CHAOS_KILLS ?? 20);

/** One command that is killed repeatedly. */
export interface Scenario {
  readonly name: string;
  readonly examples: number;
  /** Concurrent trials: as many as a kill can interrupt. */
  readonly slots: number;
  /** Calls of a trial that are made without storing an output in between. */
  readonly callsAtStake: number;
  /** The budget as a share of what all trials need: more than enough, or too little. */
  readonly budget: number;
  /** Maximum number of calls between two kills. */
  readonly pace: number;
  readonly files: Readonly<Record<string, TestFileContent>>;
  /** A command to run before the one that is killed. */
  readonly before?: readonly string[];
  readonly args: readonly string[];
  /** The command that resumes a run; its folder is appended. */
  readonly resume: readonly string[];
  readonly script: MockScript;
  /** With a queue: concurrent trials of each worker; workers are killed as well. */
  readonly workers?: readonly number[];
}

/** The cost limit of a trial, which is reserved for trials without a judge. */
export const TRIAL_LIMIT_USD = 0.2;
const MAX_TOKENS = 40;

const SLOTS = 6;
const EXAMPLES = 40 + 10 * KILLS;
const LARGE_BUDGET_USD = 10;
/** The run stops by itself after some kills: between them, enough trials are done to pay for what a kill loses. */
const SMALL_BUDGET = { budget: 0.6, pace: 40 };

/** URL is replaced by the address, which is not known yet. */
const MODELS = ["small", "judge"]
  .map((name) => {
    const pricing = `{ input_per_1k: ${PRICE.input}, output_per_1k: ${PRICE.output} }`;
    return `${name}:\n  base_url: URL/v1\n  pricing: ${pricing}\n  budgets: { max_cost_usd: ${TRIAL_LIMIT_USD} }\n`;
  })
  .join("");

const makeIds = (count: number) => Array.from({ length: count }, (_, i) => `e${i}`);

const QUESTIONS = makeIds(EXAMPLES).map((id) => ({ id, question: `What is item ${id} ?`, answer: `Paris` }));

/** Examples whose number ends with 3 or 7 are always answered wrongly. */
const WRONG_ANSWER_PATTERN = "/item e\\d*[37] /";

const JUDGE_REPLY = '{"reasoning": "So.", "cannot_judge": false, "verdict": "pass"}';

/** Slow answers: a kill interrupts calls before their first byte and in the middle. */
const ANSWERS: MockScript = {
  latencyMs: { min: 20, max: 80 },
  tokensPerSec: 400,
  outputTokens: 20,
  reply: [
    { match: WRONG_ANSWER_PATTERN, reply: "It is Rome." },
    { match: "/./", reply: "It is Paris." },
  ],
};

const SLOW_ANSWERS: MockScript = { ...ANSWERS, latencyMs: { min: 200, max: 400 } };

/** The same with a judge that takes five times as long. */
const SLOW_JUDGE: MockScript = {
  ...ANSWERS,
  models: {
    judge: {
      latencyMs: { min: 300, max: 600 },
      outputTokens: 0,
      reply: [
        { match: WRONG_ANSWER_PATTERN, reply: JUDGE_REPLY.replace("pass", "fail") },
        { match: "/./", reply: JUDGE_REPLY },
      ],
    },
  },
};

const LIMITS = ["--max-tokens", String(MAX_TOKENS), "--max-workers", String(SLOTS), "--output", "json"];
const RUN = ["run", "--model", "small", "--dataset", "q.jsonl", "--score-field", "contains", ...LIMITS];
const JUDGE = ["--evaluator", "llm_judge", "--judge-model", "judge"];
const JUDGED_RUN = ["run", "--model", "small", "--dataset", "q.jsonl", ...JUDGE, ...LIMITS];

const MODEL_CALLS = {
  examples: EXAMPLES,
  slots: SLOTS,
  callsAtStake: 1,
  budget: LARGE_BUDGET_USD,
  pace: 12,
  files: { "q.jsonl": QUESTIONS, "models.yml": MODELS },
  resume: ["run", "--resume"],
  script: ANSWERS,
} as const;

const TINY_AGENT = fileURLToPath(new URL("../../examples/tiny-agent.mjs", import.meta.url));
const AGENT = `'${process.execPath}' '${TINY_AGENT}' {prompt}`;
const AGENT_EXAMPLES = 12 + 4 * KILLS;
const FILE_GRADER = { type: "file-contains", config: { path: "made.txt", value: "Paris" } };

/** Agents that create a file in one turn and end in the next. */
const AGENT_CALLS = {
  examples: AGENT_EXAMPLES,
  slots: 3,
  callsAtStake: 2,
  budget: LARGE_BUDGET_USD,
  pace: 8,
  script: {
    latencyMs: { min: 20, max: 80 },
    tokensPerSec: 400,
    reply: "I did nothing.",
    tools: [
      {
        match: WRONG_ANSWER_PATTERN,
        steps: [{ command: "echo Rome > made.txt", outputTokens: 20 }, { text: "Done." }],
      },
      { match: "/item e/", steps: [{ command: "echo Paris > made.txt", outputTokens: 20 }, { text: "Done." }] },
    ],
  },
} as const;

const AGENT_TASKS = makeIds(AGENT_EXAMPLES).map((id) => ({
  id,
  question: `Make item ${id} .`,
  graders: [FILE_GRADER],
}));

function makeChaosEvalFile(): string {
  const graders = JSON.stringify([{ name: "made", ...FILE_GRADER }]);
  const stimuli = makeIds(AGENT_EXAMPLES).map(
    (id) => `  - { name: ${id}, prompt: "Make item ${id} .", graders: ${graders} }`,
  );
  return `name: chaos\nstimuli:\n${stimuli.join("\n")}\n`;
}

/** Conversations with ten questions each, like in LoCoMo. */
function makeConversations(): unknown[] {
  return Array.from({ length: EXAMPLES / 10 }, (_, c) => ({
    sample_id: `conv-${c}`,
    conversation: {
      speaker_a: "Mira",
      speaker_b: "Tobias",
      session_1_date_time: "1:56 pm on 8 May, 2023",
      session_1: Array.from({ length: 40 }, (_, turn) => ({
        speaker: turn % 2 === 0 ? "Mira" : "Tobias",
        dia_id: `D1:${turn + 1}`,
        text: `Thing ${turn} of conversation ${c} was in Paris.`,
      })),
    },
    qa: makeIds(EXAMPLES)
      .slice(10 * c, 10 * c + 10)
      .map((id) => ({ question: `What is item ${id} ?`, answer: "Paris", evidence: ["D1:1"], category: 4 })),
  }));
}

/** Grades the outputs of an earlier run. */
const GRADE = {
  before: ["run", "--model", "small", "--dataset", "q.jsonl", "--max-tokens", String(MAX_TOKENS), "--quiet"],
  args: ["grade", ...JUDGE, "--max-workers", String(SLOTS), "--output", "json"],
  resume: ["grade", "--output", "json", "--resume"],
  script: SLOW_JUDGE,
};

/** Every command that costs money. */
export const SCENARIOS: readonly Scenario[] = [
  { ...MODEL_CALLS, name: "run", args: RUN },
  { ...MODEL_CALLS, name: "run, stopped by its budget", args: RUN, ...SMALL_BUDGET },
  // Most kills happen during judging.
  { ...MODEL_CALLS, name: "judge", args: JUDGED_RUN, script: SLOW_JUDGE, pace: 20 },
  { ...MODEL_CALLS, name: "judge, stopped by its budget", args: JUDGED_RUN, script: SLOW_JUDGE, ...SMALL_BUDGET },
  { ...MODEL_CALLS, name: "cache", args: [...RUN, "--cache-dir", "cache"] },
  {
    ...AGENT_CALLS,
    name: "agents",
    files: { "t.jsonl": AGENT_TASKS, "models.yml": MODELS },
    args: [
      ...["run", "--agent-command", AGENT, "--agent-model", "small", "--dataset", "t.jsonl", "--output", "json"],
      ...["--agent-parallel", String(AGENT_CALLS.slots), "--max-workers", String(AGENT_CALLS.slots)],
    ],
    resume: ["run", "--resume"],
  },
  {
    ...MODEL_CALLS,
    name: "memory",
    files: { "locomo.json": JSON.stringify(makeConversations()), "models.yml": MODELS },
    args: ["memory", "--system", "bm25:3", "--dataset", "locomo=locomo.json", "--model", "small", ...LIMITS],
    resume: ["memory", "--resume"],
  },
  {
    ...AGENT_CALLS,
    name: "eval",
    files: { "eval.yaml": makeChaosEvalFile(), "models.yml": MODELS },
    args: [
      ...["eval", "-e", "eval.yaml", "--executor", AGENT, "--model", "small", "--output", "json"],
      ...["--workers", String(AGENT_CALLS.slots)],
    ],
    resume: ["eval", "--output", "json", "--resume"],
  },
  { ...MODEL_CALLS, ...GRADE, name: "grade" },
  { ...MODEL_CALLS, ...GRADE, name: "grade, stopped by its budget", ...SMALL_BUDGET },
  // Slow enough that a killed worker is working again before the next kill.
  { ...MODEL_CALLS, name: "queue", args: RUN, workers: [3, 3], script: SLOW_ANSWERS, pace: 16 },
];
