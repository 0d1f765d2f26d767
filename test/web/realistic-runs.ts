import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  AnswerQuality,
  type Example,
  evaluate,
  type Limits,
  makeDataset,
  type Output,
  type System,
  TrialError,
} from "assay";
import { type FinishedCommand, LAUNCHER, watchCommand } from "../../src/testing/run-assay.js";

/** Runs as users have them, for pictures and for comparing cells. All of them are deterministic. */
export interface RealisticRuns {
  /** Seven models on the same questions, once a week for six weeks and today. */
  weekly: readonly string[];
  /** The same models in a night in which most calls failed. */
  badNight: string;
  /** Ten agents in five harnesses on the same tasks, with minutes of run time. */
  agents: string;
  /** A skill, with and without. */
  experiment: string;
  /** Four systems on five thousand questions. */
  large: string;
  /** A run that its budget ended early. */
  stopped: string;
}

export async function storeRealisticRuns(runsDir: string): Promise<RealisticRuns> {
  const weekly: string[] = [];
  for (let week = 0; week < 7; week++) weekly.push(await storeWeeklyRun(runsDir, week));
  return {
    weekly,
    badNight: await storeBadNight(runsDir),
    agents: await storeAgentRun(runsDir),
    experiment: await storeExperiment(runsDir),
    large: await storeLargeRun(runsDir),
    stopped: await storeStoppedRun(runsDir),
  };
}

interface ModelProfile {
  readonly name: string;
  /** Share of correct answers. */
  readonly right: number;
  readonly seconds: number;
  readonly tokens: number;
  /** Dollars per million tokens; null without a known price. */
  readonly price: { readonly input: number; readonly output: number } | null;
  /** Share of calls that fail. */
  readonly failing: number;
  /** Change of `right` from week to week. */
  readonly drift: number;
}

const MODELS: readonly ModelProfile[] = [
  { name: "atlas-large", right: 0.95, seconds: 9, tokens: 640, price: { input: 5, output: 25 }, failing: 0, drift: 0 },
  {
    name: "atlas-mini",
    right: 0.86,
    seconds: 1.8,
    tokens: 260,
    price: { input: 0.4, output: 2 },
    failing: 0.01,
    drift: 0.01,
  },
  {
    name: "cedar-70b",
    right: 0.83,
    seconds: 4.2,
    tokens: 310,
    price: { input: 0.9, output: 0.9 },
    failing: 0.02,
    drift: 0.015,
  },
  {
    name: "granite-mini",
    right: 0.6,
    seconds: 0.7,
    tokens: 120,
    price: { input: 0.05, output: 0.2 },
    failing: 0,
    drift: 0,
  },
  { name: "local-8b", right: 0.71, seconds: 2.6, tokens: 180, price: null, failing: 0, drift: 0.02 },
  {
    name: "pioneer-reasoner",
    right: 0.97,
    seconds: 46,
    tokens: 4200,
    price: { input: 2, output: 8 },
    failing: 0.01,
    drift: 0,
  },
  {
    name: "swift-8b",
    right: 0.89,
    seconds: 0.9,
    tokens: 150,
    price: { input: 0.1, output: 0.4 },
    failing: 0.01,
    drift: -0.015,
  },
];

const TOPICS = ["geography", "history", "arithmetic", "cooking"] as const;
const PLACES = ["Aldermoor", "Brackwell", "Cressing", "Dunholm", "Eastvale", "Farrow", "Glenmore", "Hartley"] as const;

function makeQuestions(count: number): Example[] {
  return Array.from({ length: count }, (_, i) => {
    const place = PLACES[i % PLACES.length] ?? "";
    const year = 1620 + ((i * 37) % 350);
    return {
      id: `village-${String(i + 1).padStart(count > 999 ? 5 : 3, "0")}`,
      question: `In which year did the village of ${place} (parish ${i + 1}) get its market charter? Give the year and one sentence of reasoning.`,
      answer: String(year),
      topic: TOPICS[i % TOPICS.length] ?? "geography",
      difficulty: ["easy", "medium", "hard"][Math.floor(i / 4) % 3] ?? "easy",
    };
  });
}

/** A deterministic number in [0, 1) for a text. */
function draw(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  hash ^= hash >>> 12;
  hash = Math.imul(hash, 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}

function createModel(profile: ModelProfile, week: number): System {
  const { name, seconds, tokens, price, failing } = profile;
  const right = Math.min(0.99, profile.right + profile.drift * (week - 6));
  return {
    name,
    model: name,
    harness: "api",
    process: (example, { trial }) => {
      const key = `${name} ${example.id} ${trial} ${week}`;
      if (draw(`fails ${key}`) < failing) throw new TrialError("rate_limit", `HTTP 429: too many requests for ${name}`);
      // Some questions are hard for every model, so that outcomes of models are related as in real runs.
      const ease = right + 0.5 * (1 - right) * (1 - 2 * draw(`hard ${example.id}`));
      const isRight = draw(`right ${name} ${example.id} ${trial}`) < ease;
      const latency = seconds * (0.5 + 1.4 * draw(`time ${key}`) ** 2);
      const output = Math.round(tokens * (0.6 + 0.8 * draw(`tokens ${key}`)));
      return {
        response: isRight ? writeAnswer(String(example.answer)) : writeWrongAnswer(example),
        latency,
        successAtMs: latency * 1000,
        usage: { input: 240, output, cacheRead: 60, reasoning: Math.round(output * 0.4) },
        ...(price !== null && { costUsd: (300 * price.input + output * price.output) / 1e6 }),
      };
    },
  };
}

function writeAnswer(year: string): string {
  return `**${year}**\n\n- The charter roll of that year names the parish.\n- A weekly market is recorded *from then on*.\n\n\`\`\`text\nyear = ${year}\n\`\`\``;
}

function writeWrongAnswer({ id }: Example): string {
  if (draw(`refuses ${id}`) < 0.3) return "I do not have a source for this parish.";
  return `The charter was granted in **${1500 + Math.floor(draw(`wrong ${id}`) * 90)}**, as the county history says.`;
}

interface StoredRun {
  readonly runsDir: string;
  readonly title: string;
  readonly name: string;
  readonly examples: readonly Example[];
  readonly systems: readonly System[];
  readonly trials?: number;
  readonly maxCostUsd?: number;
  readonly at: Date;
}

async function storeRun(run: StoredRun): Promise<string> {
  const { runsDir, title, name, examples, systems, trials = 1, maxCostUsd, at } = run;
  const { runDir } = await evaluate({
    systems,
    dataset: makeDataset({ name, examples, facets: ["topic", "difficulty"] }),
    evaluators: [new AnswerQuality()],
    scoreField: "contains",
    threshold: 1,
    trials,
    runsDir,
    title,
    retry: { maxRetries: 0 },
    ...(maxCostUsd !== undefined && { budget: { run: { maxCostUsd } } }),
  });
  const id = basename(runDir ?? "");
  setRunDate(join(runsDir, id), at);
  return id;
}

function setRunDate(dir: string, at: Date): void {
  const path = join(dir, "manifest.json");
  const manifest = JSON.parse(readFileSync(path, "utf8")) as object;
  writeFileSync(path, JSON.stringify({ ...manifest, createdAt: at.toISOString() }));
}

/** From 5 October, once a week. */
function computeWeeklyDate(week: number): Date {
  return new Date(Date.UTC(2026, 9, 5 + 7 * week, 8, 30));
}

function storeWeeklyRun(runsDir: string, week: number): Promise<string> {
  return storeRun({
    runsDir,
    title: `Weekly comparison ${week + 1}`,
    name: "villages",
    examples: makeQuestions(60),
    systems: MODELS.map((model) => createModel(model, week)),
    trials: 3,
    at: computeWeeklyDate(week),
  });
}

const BAD_ENDINGS = [
  ["rate_limit", "HTTP 429: too many requests, retry after 30 s"],
  ["api_error", "HTTP 500: internal server error (request 8f3a)"],
  ["api_error", "HTTP 401: invalid key"],
  ["timeout", "no answer within 60 s"],
] as const;

function createFailingModel(profile: ModelProfile): System {
  const model = createModel(profile, 6);
  return {
    ...model,
    process: (example, trial) => {
      const lot = draw(`night ${profile.name} ${example.id} ${trial.trial}`);
      const [category, message] = BAD_ENDINGS[Math.floor(lot * 100) % BAD_ENDINGS.length] ?? BAD_ENDINGS[0];
      if (lot < 0.65) throw new TrialError(category, message);
      if (lot > 0.9) return { response: "The charter was", stopped: "cost_killed", costUsd: 0.05, latency: 20 };
      return model.process(example, trial);
    },
  };
}

/** A run with a budget needs the prices of its systems. */
function createLimits({ price }: ModelProfile): Limits {
  const { input = 0, output = 0 } = price ?? {};
  const perToken = { input: input * 1e6, output: output * 1e6, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 };
  return { price: { ...perToken, source: "the provider" }, maxCostUsd: 0.05, hardTimeoutMs: null };
}

/** Three priced models; the budget is enough for about half of the trials. */
function storeStoppedRun(runsDir: string): Promise<string> {
  return storeRun({
    runsDir,
    title: "Parish records, stopped at $0.60",
    name: "parishes",
    examples: makeQuestions(40),
    systems: MODELS.slice(0, 3).map((model) => ({ ...createModel(model, 6), limits: createLimits(model) })),
    trials: 2,
    maxCostUsd: 0.6,
    at: new Date(Date.UTC(2026, 10, 14, 9)),
  });
}

/** Long enough after the last good run to be the newest one. */
function storeBadNight(runsDir: string): Promise<string> {
  return storeRun({
    runsDir,
    title: "Nightly, providers down",
    name: "villages",
    examples: makeQuestions(60),
    systems: MODELS.map(createFailingModel),
    trials: 3,
    at: new Date(Date.UTC(2026, 10, 17, 2)),
  });
}

interface AgentProfile {
  readonly model: string;
  readonly harness: string;
  readonly right: number;
  readonly minutes: number;
  readonly dollars: number;
}

const AGENTS: readonly AgentProfile[] = [
  { model: "atlas-large", harness: "claude", right: 0.9, minutes: 6, dollars: 0.92 },
  { model: "atlas-mini", harness: "claude", right: 0.7, minutes: 3, dollars: 0.14 },
  { model: "pioneer-reasoner", harness: "codex", right: 0.92, minutes: 14, dollars: 0.61 },
  { model: "pioneer-mini", harness: "codex", right: 0.66, minutes: 5, dollars: 0.09 },
  { model: "cedar-70b", harness: "opencode", right: 0.62, minutes: 9, dollars: 0.2 },
  { model: "swift-8b", harness: "opencode", right: 0.38, minutes: 2, dollars: 0.03 },
  { model: "meadow-pro", harness: "gemini", right: 0.81, minutes: 8, dollars: 0.34 },
  { model: "meadow-flash", harness: "gemini", right: 0.69, minutes: 1.5, dollars: 0.05 },
  { model: "atlas-large", harness: "pi", right: 0.85, minutes: 7, dollars: 0.7 },
  { model: "cedar-70b", harness: "pi", right: 0.55, minutes: 95, dollars: 0.31 },
];

const TASKS = [
  "parser",
  "cache",
  "router",
  "dates",
  "retry",
  "csv",
  "sort",
  "auth",
  "queue",
  "config",
  "search",
  "diff",
];

function storeAgentRun(runsDir: string): Promise<string> {
  return storeRun({
    runsDir,
    title: "Coding agents on twelve repairs",
    name: "repairs",
    examples: TASKS.map((task, i) => ({
      id: `fix-${task}`,
      question: `The tests of \`src/${task}.js\` fail. Find the cause, fix it, and run the tests.`,
      answer: "all tests pass",
      topic: ["library", "service"][i % 2] ?? "library",
      difficulty: ["easy", "medium", "hard"][i % 3] ?? "easy",
    })),
    systems: AGENTS.map(createAgent),
    trials: 2,
    at: new Date(Date.UTC(2026, 10, 16, 20)),
  });
}

function createAgent(profile: AgentProfile): System {
  const { model, harness, right, minutes, dollars } = profile;
  const name = `${model} [${harness}]`;
  return {
    name,
    model,
    harness,
    process: (example, { trial }) => {
      const key = `${name} ${example.id} ${trial}`;
      if (draw(`down ${key}`) < 0.02) throw new TrialError("api_error", "HTTP 529: overloaded");
      const isKilled = draw(`killed ${key}`) < (1 - right) * 0.35;
      const isRight = !isKilled && draw(`right ${key}`) < right;
      const seconds = minutes * 60 * (0.4 + 1.3 * draw(`time ${key}`));
      const costUsd = dollars * (0.5 + draw(`cost ${key}`)) * (isKilled ? 2.2 : 1);
      const steps = 4 + Math.floor(draw(`steps ${key}`) * 14);
      const work = { model, task: String(example.id).slice(4), isRight, isKilled, seconds, costUsd, steps };
      return {
        response: isRight ? "The cause was an off-by-one error. Now all tests pass." : "I could not fix it.",
        latency: seconds,
        turns: steps,
        trajectory: describeWork(work),
        usage: { input: 1800 * steps, output: 420 * steps, cacheRead: 9000 * steps },
        costUsd,
        ...(isKilled && { stopped: "cost_killed" as const }),
        ...(isRight && { successAtMs: seconds * 700, firstAttemptMs: seconds * 400 }),
      };
    },
  };
}

interface AgentWork {
  readonly model: string;
  readonly task: string;
  readonly isRight: boolean;
  readonly isKilled: boolean;
  readonly seconds: number;
  readonly costUsd: number;
  readonly steps: number;
}

/** Reads, edits, and runs the tests until they pass or the money is gone. */
function describeWork({ model, task, isRight, seconds, costUsd, steps }: AgentWork): NonNullable<Output["trajectory"]> {
  const startedAt = Date.UTC(2026, 10, 16, 20);
  const at = (step: number) => startedAt + Math.round((seconds * 1000 * step) / (steps + 1));
  const events: { type: string; timestamp: number; [key: string]: unknown }[] = [
    { type: "user_message", timestamp: startedAt, text: `The tests of src/${task}.js fail. Fix them.` },
  ];
  for (let step = 1; step <= steps; step++) {
    const isLast = step === steps;
    const callId = `call-${step}`;
    const tool = step === 1 ? "Read" : step % 3 === 0 || isLast ? "Bash" : "Edit";
    events.push(
      { type: "turn_start", timestamp: at(step - 0.9) },
      {
        type: "token_usage",
        timestamp: at(step - 0.5),
        model,
        usage: { input: 1800, output: 420, cacheRead: 9000 },
        costUsd: costUsd / steps,
        durationMs: 4000,
      },
      { type: "tool_call", timestamp: at(step - 0.4), name: tool, callId, arguments: buildArguments(tool, task, step) },
      {
        type: "tool_result",
        timestamp: at(step - 0.2),
        callId,
        success: tool !== "Bash" || (isLast && isRight),
        result: tool === "Bash" ? (isLast && isRight ? "12 tests passed" : "1 of 12 tests failed") : "ok",
      },
      { type: "turn_end", timestamp: at(step - 0.1) },
    );
  }
  events.push({
    type: "assistant_message",
    timestamp: at(steps),
    text: isRight ? "All tests pass." : "Tests still fail.",
  });
  return { startedAt, events };
}

function buildArguments(tool: string, task: string, step: number): unknown {
  if (tool === "Bash") return { command: "npm test" };
  if (tool === "Read") return { file_path: `src/${task}.js` };
  return {
    file_path: `src/${task}.js`,
    old_string: `for (let i = 0; i <= items.length; i++) visit(items[i], ${step});`,
    new_string: `for (let i = 0; i < items.length; i++) visit(items[i], ${step});`,
  };
}

/** Runs the real command outside of a test. */
function runCommand(cwd: string, ...args: string[]): Promise<FinishedCommand> {
  return watchCommand(spawn(process.execPath, [LAUNCHER, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] }))
    .finished;
}

const TINY_AGENT = fileURLToPath(new URL("../../examples/tiny-agent.mjs", import.meta.url));

/** The real commands with a simulated model, as `assay init` writes them. */
async function storeExperiment(runsDir: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "assay-experiment-"));
  try {
    const project = join(dir, "project");
    await runCommand(dir, "init", project, "--kind", "skill", "--executor", `node ${TINY_AGENT} {prompt} {skills}`);
    const words = ["experiment", "run", "experiment.yaml", "--mock", "evals/changelog/mock.yaml", "--quiet"];
    const { stdout, stderr } = await runCommand(project, ...words, "--runs-dir", runsDir, "--output", "json");
    const id = stdout.match(/\d{8}-\d{6}-[\w-]*/)?.[0];
    if (id === undefined || !existsSync(join(runsDir, id))) throw new Error(`no experiment was stored: ${stderr}`);
    return id;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function storeLargeRun(runsDir: string): Promise<string> {
  return storeRun({
    runsDir,
    title: "Four models on five thousand questions",
    name: "parishes",
    examples: makeQuestions(5000),
    systems: MODELS.filter(({ price }) => price !== null)
      .slice(0, 4)
      .map((model) => createModel(model, 6)),
    at: new Date(Date.UTC(2026, 10, 15, 8)),
  });
}
