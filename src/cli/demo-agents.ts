import "../builtins.js";
import { fileURLToPath } from "node:url";
import {
  ADAPTERS,
  type AgentAdapter,
  AgentSystem,
  createCommandAdapter,
  detectAgent,
  getDefaultAgentConcurrency,
  requireAdapter,
} from "../agents/index.js";
import { createPrice } from "../budget/index.js";
import type { EvalResult, EvalRow, Limits } from "../core/index.js";
import { getExampleModelName, registry } from "../core/index.js";
import { loadDataset } from "../datasets/index.js";
import { evaluate } from "../evaluate.js";
import { deriveCommandName, findProgram } from "../exec/index.js";
import type { GatewayDialectName } from "../models/index.js";
import { formatDollars, formatPlural, formatSeconds } from "../report/index.js";
import { type Mock, startMock } from "../testing/mock/index.js";
import { findPackageFile } from "../utils/index.js";
import { type DemoOptions, showDemo } from "./demo.js";
import { createInterrupt } from "./interrupt.js";
import { ProgressLine } from "./progress.js";
import { checkOutput, printNote } from "./streams.js";

export interface DemoAgentsOptions extends DemoOptions {
  /** Agents to run besides the tiny one. Default: all installed ones. */
  agents?: readonly string[];
}

const TINY_AGENT = fileURLToPath(findPackageFile("examples/tiny-agent.mjs"));
const MAX_COST_USD = 0.05;
/** Output costs far more than input, so that the length of an agent's own prompts does not decide the result. */
const PRICING = { input_per_1k: 0.0001, output_per_1k: 0.01 };
/** Slow enough to observe the folders between two steps. */
const MODEL_SPEED = { latencyMs: 250, tokensPerSec: 4000 };
const TIMEOUT_MS = 180_000;

/** Agents require a known model name. Only the mock receives these. */
const MODELS: Readonly<Record<GatewayDialectName, string>> = {
  chat: "demo-model",
  responses: "gpt-5.5",
  anthropic: "claude-sonnet-4-5",
  gemini: "gemini-2.5-pro",
};

/** `assay demo agents`: real agents on eight small tasks with a scripted model. Offline, without a key. */
export async function executeDemoAgents({ output, runsDir, seed, agents }: DemoAgentsOptions): Promise<number> {
  const reporter = registry.get("reporter", output);
  checkOutput(output);
  const adapters = selectAdapters(agents);
  const dataset = await loadDataset("agent-tasks", { seed });
  const { buildAgentTaskScript, UNSOLVED_TASK } = await import("../agents/tasks/index.js");
  const mock = await startMock({ ...buildAgentTaskScript(), ...MODEL_SPEED, seed });
  const systems: AgentSystem[] = [];
  try {
    for (const adapter of adapters) systems.push(await openDemoAgent(adapter, mock));
    printNote(`${formatPlural(dataset.examples.length, "task")} with ${systems.map(({ name }) => name).join(", ")}.`);
    const { result, stopCode } = await runWithProgress((watch) =>
      evaluate({
        title: "Which agent solves the tasks?",
        systems,
        dataset,
        seed,
        runsDir,
        invocation: { command: "demo" },
        ...watch,
      }),
    );
    const code = await showDemo(result, {
      reporter,
      conclusion: describeAgentDemo(result, UNSOLVED_TASK),
      next: formatDemoNextSteps(result),
    });
    return stopCode ?? code;
  } finally {
    await Promise.all(systems.map((system) => system.close()));
    await mock.close();
  }
}

function selectAdapters(agents: readonly string[] | undefined): AgentAdapter[] {
  const known =
    agents?.map(requireAdapter) ?? Object.values(ADAPTERS).filter(({ program }) => findProgram(program) !== null);
  return [createCommandAdapter(`${quoteShellPath(process.execPath)} ${quoteShellPath(TINY_AGENT)} {prompt}`), ...known];
}

/** A path may contain spaces, and backslashes on some systems. */
function quoteShellPath(path: string): string {
  return `'${path}'`;
}

async function openDemoAgent(adapter: AgentAdapter, mock: Mock): Promise<AgentSystem> {
  const [dialect = "chat"] = adapter.dialects;
  const name = MODELS[dialect];
  const limits = getAgentDemoLimits();
  return new AgentSystem({
    ...(await detectAgent(adapter)),
    name: adapter.command === undefined ? adapter.name : deriveCommandName(adapter.command),
    adapter,
    model: { name, cliName: name, dialect },
    effort: null,
    upstreams: {
      urls: { openai: `${mock.url}/v1`, anthropic: mock.url, google: mock.url },
      keys: {},
      prices: new Map(limits.price === null ? [] : [[name, limits.price]]),
      allowInsecure: false,
    },
    limits,
    maxParallel: getDefaultAgentConcurrency(),
    home: null,
    passEnv: [],
    strictModel: false,
    keepWorkspaces: null,
    // The simulated model follows its script.
    canary: false,
    box: null,
  });
}

function getAgentDemoLimits(): Limits {
  const price = createPrice(PRICING, "assay demo agents");
  return { price, isMetered: true, maxCostUsd: MAX_COST_USD, hardTimeoutMs: TIMEOUT_MS };
}

type DemoRunOptions = Pick<Parameters<typeof evaluate>[0], "signal" | "onProgress">;

/** Agents are slow: shows progress and stops them in order. */
async function runWithProgress(work: (watch: DemoRunOptions) => Promise<EvalResult>) {
  const progress = new ProgressLine(process.stderr);
  const interrupt = createInterrupt(() => progress.clear());
  const { signal } = interrupt;
  try {
    const result = await work({ signal, onProgress: (state) => progress.update(state) });
    return { result, stopCode: interrupt.exitCode };
  } finally {
    progress.clear();
    interrupt.release();
  }
}

function describeAgentDemo({ summary, rows }: EvalResult, givenUp: string): string {
  const each = Object.entries(summary).map(([name, values]) => {
    const own = rows.filter(({ system }) => system === name);
    const done = own.filter(({ passed }) => passed === true).length;
    const said = `${name} solved ${done} of ${own.length} tasks`;
    const seconds = (values.median_time_to_success_ms ?? 0) / 1000;
    return done === 0
      ? `${said}.`
      : `${said}, at ${formatDollars(values.cost_per_pass_usd)} each; half of those were right within ${formatSeconds(seconds)}.`;
  });
  return [...each, ...describeKilledTrials(rows), ...describeUnsolved(rows, givenUp)].join("\n");
}

function describeKilledTrials(rows: readonly EvalRow[]): string[] {
  const stopped = rows.filter(({ errorCategory }) => errorCategory === "cost_killed");
  if (stopped.length === 0) return [];
  const right = stopped.filter(({ passed }) => passed === true).length;
  const where = [...new Set(stopped.map(({ exampleId }) => exampleId))].join(", ");
  return [
    `${formatPlural(stopped.length, "trial")} reached the cap of ${formatDollars(MAX_COST_USD)} (${where}). The contents of the folder were graded all the same: ${right} right.`,
  ];
}

/** Lists tasks that no agent solved. For one the reason is known: the model's script gives up. */
export function describeUnsolved(rows: readonly Pick<EvalRow, "exampleId" | "passed">[], givenUp: string): string[] {
  const ids = [...new Set(rows.map(({ exampleId }) => String(exampleId)))];
  const never = ids.filter((id) => !rows.some(({ exampleId, passed }) => String(exampleId) === id && passed === true));
  const others = never.filter((id) => id !== givenUp);
  return [
    ...(others.length === 0 ? [] : [`No agent solved ${others.join(", ")}.`]),
    ...(never.includes(givenUp) ? [`No agent solved ${givenUp}: the scripted model gives up on it.`] : []),
  ];
}

function formatDemoNextSteps({ runDir, config }: EvalResult): string {
  const run = runDir ?? "RUN";
  return `What to do next:
  assay show ${run} add-flag --system ${config.systems[0] ?? "tiny-agent"}
      see what it did, step by step
  assay serve
      view the run in the browser, with charts
  assay doctor
      list the installed agents
  assay --agent claude:${getExampleModelName("anthropicSmall")} --dataset agent-tasks --trial-max-cost 0.30
      run the tasks with a real model
  assay --agent-command 'my-agent {prompt}' --dataset agent-tasks
      run the tasks with your own agent`;
}
