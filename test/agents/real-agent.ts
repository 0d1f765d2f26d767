import { readdirSync, readFileSync } from "node:fs";
import { delimiter } from "node:path";
import { expect, onTestFinished } from "vitest";
import {
  AGENT_NAMES,
  type EvalRow,
  type Evaluator,
  type Example,
  evaluate,
  GraderEvaluator,
  type Output,
  openAgent,
  type Price,
  type Usage,
} from "../../src/index.js";
import { type Mock, type MockOptions, type MockRequest, startMock } from "../../src/testing/mock/index.js";

interface InstalledAgent {
  readonly name: string;
  readonly version: string;
  readonly bin: string;
  readonly problem: string | null;
}

/** The agents found by scripts/test-agents.mjs. */
export const INSTALLED_AGENTS: readonly InstalledAgent[] = (
  JSON.parse(process.env.ASSAY_TEST_AGENTS ?? "[]") as InstalledAgent[]
).filter(({ problem }) => problem === null);

/** A priced model for each agent, in the API format that the agent uses. */
export const MODELS: Readonly<Record<string, string>> = {
  claude: "claude-sonnet-4-5",
  codex: "gpt-5.5",
  copilot: "openai/gpt-5-mini",
  droid: "openai/gpt-5-mini",
  gemini: "gemini-2.5-flash",
  opencode: "openai/gpt-5-mini",
  pi: "openai/gpt-5-mini",
  qwen: "openai/gpt-5-mini",
};

/** True for agents whose events an adapter reads. */
const hasAdapter = ({ name }: InstalledAgent) => (AGENT_NAMES as readonly string[]).includes(name);

/** The agents with an adapter. */
export const ADAPTED_AGENTS = INSTALLED_AGENTS.filter(hasAdapter);

/** The agents that are run by a command of ours. */
export const COMMAND_AGENTS = INSTALLED_AGENTS.filter((agent) => !hasAdapter(agent));

/** Agents tried with fewer tasks, so that the suite ends in time: what they have in common with the others is tried there. */
const LATE_AGENTS = new Set(["copilot", "qwen"]);

/** The agents tried with all kinds of trouble. */
export const THOROUGH_AGENTS = ADAPTED_AGENTS.filter(({ name }) => !LATE_AGENTS.has(name));

export interface AgentTrial {
  row: EvalRow;
  mock: Mock;
  /** The requests for answers, without those for lists of models. */
  calls: readonly MockRequest[];
  /** The agent's output as it was graded. */
  output: Output;
  /** The price of its model. */
  price: Price;
}

export interface AgentTrialOptions {
  script: MockOptions;
  example?: Partial<Example>;
  hardTimeoutMs?: number;
  maxCostUsd?: number;
  /** Where it runs. Default: with our permissions. */
  isolation?: string;
}

/** Runs one task with an agent and a scripted model. */
export async function tryAgent(name: string, options: AgentTrialOptions): Promise<AgentTrial> {
  const mock = await startMockModel(options.script);
  const system = await openRealAgent(name, mock, options);
  const graders = [{ type: "file-exists", config: { path: "hello.txt" } }];
  const example: Example = { id: "hello", question: "Create hello.txt as you are told", graders, ...options.example };
  let output: Output = {};
  const keeping: Evaluator = {
    name: "keeping",
    score: (_, processed) => {
      output = processed;
      return { kept: 1 };
    },
    canWatch: () => true,
  };
  const { rows } = await evaluate({
    systems: [system],
    dataset: [example],
    evaluators: [new GraderEvaluator(), keeping],
    retry: { maxRetries: 0 },
  });
  const [row] = rows;
  if (row === undefined) throw new Error("there is no row");
  const { price } = system.limits;
  if (price === null) throw new Error(`the model of ${name} has no price`);
  return {
    row,
    mock,
    output,
    price,
    calls: mock.requests.filter(({ dialect, method }) => dialect !== null && method === "POST"),
  };
}

export async function startMockModel(script: MockOptions): Promise<Mock> {
  const mock = await startMock({ keepRequests: 10_000, ...script });
  onTestFinished(() => mock.close());
  return mock;
}

export async function openRealAgent(
  name: string,
  mock: Mock,
  limits: Pick<AgentTrialOptions, "hardTimeoutMs" | "maxCostUsd" | "isolation"> & { canary?: boolean } = {},
) {
  const installed = INSTALLED_AGENTS.find((each) => each.name === name);
  process.env.PATH = [installed?.bin, process.env.PATH].join(delimiter);
  // Most scripts of the model know nothing of the trivial task.
  const { hardTimeoutMs = 120_000, maxCostUsd, canary = false, isolation = "none" } = limits;
  const system = await openAgent({
    agent: `${name}:${MODELS[name]}`,
    url: mock.url,
    maxParallel: 8,
    canary,
    isolation,
  });
  Object.assign(system, {
    limits: { ...system.limits, hardTimeoutMs, ...(maxCostUsd === undefined ? {} : { maxCostUsd }) },
  });
  onTestFinished(() => system.close());
  return system;
}

/** Usage as counted by the mock itself. */
export function sumMockUsage(requests: readonly MockRequest[]): Required<Usage> {
  const sum: Required<Usage> = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, reasoning: 0 };
  for (const { usage } of requests)
    for (const key of Object.keys(sum) as (keyof Usage)[]) sum[key] += usage?.[key] ?? 0;
  return sum;
}

/** The usage of a row with every class set. */
export function fillUsage({ usage }: EvalRow): Required<Usage> {
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, reasoning: 0, ...usage };
}

/** Command lines that contain a text: processes that an agent may have left behind. */
function listProcessesWith(text: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      const isZombie = / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
      return !isZombie && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
    } catch {
      return false;
    }
  });
}

/** Checks that no process with this mark in its arguments is running. */
export function expectNothingLeft(mark: string): void {
  expect(listProcessesWith(mark), "processes left behind").toEqual([]);
}
