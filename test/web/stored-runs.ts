import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import {
  AnswerQuality,
  type EvalRow,
  type EvaluateOptions,
  type Example,
  evaluate,
  makeDataset,
  type Output,
  type System,
} from "assay";

/** The runs that pages are tested with: real ones of instant systems. Each function returns a run id. */

const PRICE = { input: 3, output: 15 };

interface SystemProfile {
  name: string;
  /** Correct answers of a hundred. */
  right: number;
  seconds: number;
  tokens: number;
  /** Failing calls of a hundred. */
  failing?: number;
}

/** A deterministic system with the given quality, speed and cost. */
function createSystem({ name, right, seconds, tokens, failing = 0 }: SystemProfile): System {
  return {
    name,
    model: name,
    harness: "api",
    process: (example, { trial }) => {
      const lot = hashText(`${name} ${example.id} ${trial}`);
      if (lot % 100 < failing) throw new Error(`the endpoint of ${name} is overloaded`);
      const isRight = (lot >>> 8) % 100 < right;
      const spread = 0.5 + ((lot >>> 16) % 100) / 50;
      return {
        response: isRight ? `It is ${example.answer}.` : "I do not know.",
        latency: seconds * spread,
        successAtMs: seconds * spread * 1000,
        usage: { input: 200, output: tokens, cacheRead: 50, reasoning: Math.floor(tokens / 4) },
        costUsd: (200 * PRICE.input + tokens * PRICE.output) / 1e6,
      };
    },
  };
}

/** A deterministic hash. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 0;
}

const PROFILES: readonly SystemProfile[] = [
  { name: "swift", right: 70, seconds: 0.8, tokens: 120 },
  { name: "steady", right: 92, seconds: 4, tokens: 300, failing: 2 },
  { name: "lavish", right: 88, seconds: 20, tokens: 2500 },
];

function makeQuestions(count: number): Example[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `q-${String(i).padStart(5, "0")}`,
    question: `What is the name of town number ${i}?`,
    answer: `Town${i}`,
    depth: [0, 0.25, 0.5, 0.75, 1][i % 5] ?? 0,
    length: [500, 1000, 2000, 4000][Math.floor(i / 5) % 4] ?? 500,
  }));
}

type RunChanges = Partial<Omit<EvaluateOptions, "systems" | "dataset">> & {
  name?: string;
  systems?: readonly System[];
  examples?: readonly Example[];
};

async function storeRun(
  runsDir: string,
  title: string,
  { name = "villages", examples = makeQuestions(40), systems = PROFILES.map(createSystem), ...rest }: RunChanges = {},
): Promise<string> {
  const dataset = makeDataset({ name, examples, facets: ["depth", "length"] });
  const evaluators = [new AnswerQuality()];
  const retry = { maxRetries: 0 };
  const { runDir } = await evaluate({
    systems,
    dataset,
    evaluators,
    scoreField: "contains",
    threshold: 1,
    runsDir,
    title,
    retry,
    ...rest,
  });
  return basename(runDir ?? "");
}

function storeLargeRun(runsDir: string): Promise<string> {
  return storeRun(runsDir, "Three systems on five thousand questions", {
    name: "towns",
    examples: makeQuestions(5000),
  });
}

/** Three systems on two questions, for copies. */
export function storeSmallRun(runsDir: string): Promise<string> {
  return storeRun(runsDir, "Two questions", { examples: makeQuestions(2) });
}

/** Five trials of each of forty questions, for pass@k curves. */
function storeManyTrials(runsDir: string): Promise<string> {
  return storeRun(runsDir, "Five trials of forty questions", { trials: 5 });
}

/** Runs of the same systems on the same questions, one per day; the systems improve. */
async function storeHistory(runsDir: string, days: number): Promise<string[]> {
  const ids: string[] = [];
  for (let day = 0; day < days; day++) {
    const systems = PROFILES.map((skill) => createSystem({ ...skill, right: Math.min(99, skill.right - 10 + day) }));
    const id = await storeRun(runsDir, `Nightly ${day + 1}`, { systems });
    setRunDate(join(runsDir, id), new Date(Date.UTC(2026, 9, 1 + day, 3)));
    ids.push(id);
  }
  return ids;
}

function setRunDate(dir: string, when: Date): void {
  changeManifest(dir, { createdAt: when.toISOString() });
}

function changeManifest(dir: string, words: Readonly<Record<string, unknown>>): void {
  const path = join(dir, "manifest.json");
  writeFileSync(path, JSON.stringify({ ...parseRow(readFileSync(path, "utf8")), ...words }));
}

export interface DashboardRuns {
  large: string;
  trials: string;
  nightly: string[];
  agent: string;
}

/** Number of runs in the history. */
const NIGHTS = 12;

/** One run of each kind, with fixed dates. */
export async function storeDashboardRuns(runsDir: string): Promise<DashboardRuns> {
  const runs = {
    large: await storeLargeRun(runsDir),
    trials: await storeManyTrials(runsDir),
    agent: await storeAgentRun(runsDir),
    nightly: await storeHistory(runsDir, NIGHTS),
  };
  const october = (day: number) => new Date(Date.UTC(2026, 9, day, 9));
  setRunDate(join(runsDir, runs.large), october(21));
  setRunDate(join(runsDir, runs.trials), october(22));
  setRunDate(join(runsDir, runs.agent), october(23));
  return runs;
}

/** Model output with markup and scripts. */
export const HOSTILE = [
  "<script>window.pwned = 1</script>",
  "</script><img src=x onerror='window.pwned = 2'>",
  "\u001b[31mred\u001b[0m \u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007",
  "\u202egnp.exe\u202c \u2066isolated\u2069",
  "<svg onload='window.pwned = 3'><a href='javascript:window.pwned = 4'>x</a></svg>",
  "{{constructor.constructor('window.pwned = 5')()}}",
] as const;

/** Name of the system that returns its input. */
export const ECHO = "<b onmouseover='window.pwned = 6'>echo</b>";

const LONG = `start ${"0123456789".repeat(500_000)} end`;

/** Length of the longest response. */
export const LONG_LENGTH = LONG.length;

/** Example ids of the hostile run: one for each hostile text, and the long one. */
export function listHostileIds(): string[] {
  return [...HOSTILE, LONG].map((text, place) => `${place} ${text.slice(0, 40)}`);
}

/** Names, questions and answers with markup, and one of five megabytes. */
function storeHostileRun(runsDir: string): Promise<string> {
  const ids = listHostileIds();
  const examples = [...HOSTILE, LONG].map((text, place) => ({
    id: ids[place] ?? "",
    question: text.slice(0, 2000),
    answer: "x",
    text,
  }));
  const echo: System = {
    name: ECHO,
    process: ({ text }) => ({ response: String(text), metadata: { note: String(text).slice(0, 100) } }),
  };
  return storeRun(runsDir, `Hostile ${HOSTILE[0]}`, { name: "hostile", examples, systems: [echo] });
}

export interface HardRuns {
  hostile: string;
  many: string;
}

const MANY = 100_000;

/** A hostile run, and one with a hundred thousand rows. */
export async function storeHardRuns(runsDir: string): Promise<HardRuns> {
  return { hostile: await storeHostileRun(runsDir), many: await storeManyRows(runsDir, MANY) };
}

/** An agent that reads, edits and tests, event by event. */
function storeAgentRun(runsDir: string): Promise<string> {
  const startedAt = Date.UTC(2026, 9, 1, 3);
  const at = (seconds: number) => startedAt + seconds * 1000;
  const usage = (seconds: number, output: number) => ({
    type: "token_usage",
    timestamp: at(seconds),
    model: "claude-sonnet-4-5",
    usage: { input: 1200, output, cacheRead: 4000 },
    costUsd: 0.01,
    durationMs: 900,
  });
  const events = [
    { type: "user_message", timestamp: at(0), text: "Fix the sum." },
    { type: "turn_start", timestamp: at(0.1) },
    { type: "reasoning", timestamp: at(1), text: "I look at the file first." },
    { type: "tool_call", timestamp: at(2), name: "Read", callId: "1", arguments: { file_path: "sum.js" } },
    { type: "tool_result", timestamp: at(2.2), callId: "1", success: true, result: "return a - b;" },
    usage(3, 80),
    {
      type: "tool_call",
      timestamp: at(4),
      name: "Edit",
      callId: "2",
      arguments: { file_path: "sum.js", old_string: "return a - b;", new_string: "return a + b;" },
    },
    { type: "tool_result", timestamp: at(4.1), callId: "2", success: true, result: "edited" },
    usage(5, 60),
    { type: "tool_call", timestamp: at(6), name: "Bash", callId: "3", arguments: { command: "npm test" } },
    { type: "tool_result", timestamp: at(8), callId: "3", success: false, result: "1 test failed" },
    { type: "assistant_message", timestamp: at(9), text: "The sum is fixed. It is Town1." },
    { type: "turn_end", timestamp: at(9.1) },
  ];
  const output: Output = {
    response: "It is Town1.",
    trajectory: { startedAt, events },
    usage: { input: 2400, output: 140, cacheRead: 8000 },
    costUsd: 0.02,
    turns: 1,
    successAtMs: 4100,
    firstAttemptMs: 4000,
  };
  const agent: System = { name: "claude", harness: "claude", model: "claude-sonnet-4-5", process: () => output };
  return storeRun(runsDir, "An agent fixes a sum", { name: "repairs", examples: makeQuestions(2), systems: [agent] });
}

type TrialEnding = "right" | "wrong" | "broken";

const SLOW_PRICE = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, source: "the provider" };

/** A system whose trials end one at a time, on demand. */
export function createSlowSystem(): { system: System; end: (ending: TrialEnding) => void } {
  const told: TrialEnding[] = [];
  const waiting: ((ending: TrialEnding) => void)[] = [];
  const system: System = {
    name: "slow",
    // A run with a budget needs the prices of its systems.
    limits: { price: SLOW_PRICE, maxCostUsd: 0.05, hardTimeoutMs: null },
    process: async ({ answer }) => {
      const ending = told.shift() ?? (await new Promise<TrialEnding>((resolve) => waiting.push(resolve)));
      if (ending === "broken") throw new Error("the endpoint of slow is overloaded");
      return { response: ending === "right" ? `It is ${answer}.` : "I do not know.", costUsd: 0.01 };
    },
  };
  const end = (ending: TrialEnding) => {
    const next = waiting.shift();
    if (next === undefined) told.push(ending);
    else next(ending);
  };
  return { system, end };
}

interface LiveRunOptions {
  system: System;
  title: string;
  /** Number of questions. */
  count: number;
  /** The budget of the run. Default: none. */
  maxCostUsd?: number;
}

/** A live run whose trials end on demand. */
export function startLiveRun(runsDir: string, { system, title, count, maxCostUsd }: LiveRunOptions): Promise<string> {
  const options = { examples: makeQuestions(count), systems: [system], maxWorkers: 1 };
  return storeRun(runsDir, title, {
    ...options,
    ...(maxCostUsd !== undefined && { budget: { run: { maxCostUsd } } }),
  });
}

/** A run with very many rows, which are written instead of run. */
async function storeManyRows(runsDir: string, count: number): Promise<string> {
  const id = await storeRun(runsDir, `${count} rows`, { name: "many" });
  const dir = join(runsDir, id);
  const rows = readFileSync(join(dir, "rows.jsonl"), "utf8").trim().split("\n").map(parseRow);
  const lines = Array.from({ length: count }, (_, place) =>
    JSON.stringify({ ...rows[place % rows.length], exampleId: `row-${String(place).padStart(6, "0")}` }),
  );
  writeFileSync(join(dir, "rows.jsonl"), `${lines.join("\n")}\n`);
  // The stored card belongs to other rows.
  rmSync(join(dir, "summary.json"));
  changeManifest(dir, { planned: count });
  return id;
}

function parseRow(line: string): object {
  return JSON.parse(line) as object;
}

export function readStoredRows(runsDir: string, run: string): EvalRow[] {
  const text = readFileSync(join(runsDir, run, "rows.jsonl"), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as EvalRow);
}
