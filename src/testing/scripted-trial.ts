import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import type { AgentSystem } from "../agents/index.js";
import { type AgentOptions, openAgent } from "../agents/open-agent.js";
import { type AgentScript, type ScriptedAgent, type ScriptStep, writeScriptedAgent } from "../agents/scripted-agent.js";
import type { Example } from "../core/example.js";
import type { EvalResult } from "../core/result.js";
import type { EvalRow } from "../core/row.js";
import type { Usage } from "../core/system.js";
import { type EvaluateOptions, evaluate } from "../evaluate.js";
import { GraderEvaluator } from "../graders/index.js";
import { type Mock, type MockOptions, type MockRequest, startMock } from "./mock/index.js";

/** Dollars per thousand tokens: a thousand input tokens cost a cent. */
const PRICING = { input_per_1k: 0.01, output_per_1k: 0.1 };

/** The same prices in millionths of a dollar per token. */
const MICRO_USD_PER_TOKEN = { input: 10, output: 100 };

/** Graders for tests that check nothing else. */
export const COMPLETED_EVENTS = [{ type: "completed" }];

/** Empty folders for a test. */
export interface AgentTestFolders {
  readonly root: string;
  readonly bin: string;
  /** Temporary files go here during the test. */
  readonly tmp: string;
}

/** Programs in its bin folder come first in PATH until the test is over. */
export function createAgentFolders(): AgentTestFolders {
  const root = mkdtempSync(join(tmpdir(), "assay-scripted-"));
  const [bin, tmp] = [join(root, "bin"), join(root, "tmp")];
  mkdirSync(bin);
  mkdirSync(tmp);
  vi.stubEnv("PATH", `${bin}${delimiter}${process.env.PATH}`);
  vi.stubEnv("TMPDIR", tmp);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true, force: true });
  });
  return { root, bin, tmp };
}

export async function openTrialMock(script: MockOptions = {}): Promise<Mock> {
  const mock = await startMock({ reply: "Done.", usage: { input: 1000 }, ...script });
  onTestFinished(() => mock.close());
  return mock;
}

export interface ScriptedTrialOptions {
  /** What the agent does, for every task or by task. */
  readonly does: readonly ScriptStep[] | AgentScript;
  /** The agent that the program imitates. Default: `claude`. */
  readonly program?: string;
  readonly model?: MockOptions;
  readonly example?: Partial<Example>;
  readonly dataset?: readonly Example[];
  readonly budgets?: Readonly<Record<string, number>>;
  readonly agent?: AgentOptions;
  readonly run?: Partial<EvaluateOptions>;
  readonly place?: AgentTestFolders;
}

export interface ScriptedTrial {
  readonly row: EvalRow;
  readonly result: EvalResult;
  readonly mock: Mock;
  readonly agent: ScriptedAgent;
  readonly place: AgentTestFolders;
}

/** Runs one or several tasks with the scripted agent, the real runner, real processes and a real endpoint. */
export async function runScriptedTrial(options: ScriptedTrialOptions): Promise<ScriptedTrial> {
  const { does, program = "claude", model, run, place = createAgentFolders() } = options;
  const mock = await openTrialMock(model);
  const script: AgentScript = Array.isArray(does) ? { "*": does as readonly ScriptStep[] } : (does as AgentScript);
  const agent = writeScriptedAgent({ bin: place.bin, script, name: program });
  const system = await openScriptedAgent(place, mock, options);
  const result = await evaluate({
    systems: [system],
    dataset: options.dataset ?? [{ id: "task", question: "Do it", graders: COMPLETED_EVENTS, ...options.example }],
    evaluators: [new GraderEvaluator()],
    retry: { maxRetries: 0 },
    ...run,
  });
  const [row] = result.rows;
  if (row === undefined) throw new Error("there is no row");
  return { row, result, mock, agent, place };
}

/** The scripted agent as a system, with a model that has a simple price. */
export async function openScriptedAgent(
  place: AgentTestFolders,
  mock: Mock,
  { budgets = {}, agent = {} }: Pick<ScriptedTrialOptions, "budgets" | "agent"> = {},
): Promise<AgentSystem> {
  const known = agent.command === undefined ? { agent: "claude:tested", name: "scripted" } : {};
  const system = await openAgent({ ...known, ...toAgentOptions(place, mock, budgets), ...agent });
  onTestFinished(() => system.close());
  return system;
}

function toAgentOptions(
  { root }: AgentTestFolders,
  mock: Mock,
  budgets: ScriptedTrialOptions["budgets"],
): AgentOptions {
  const modelsFile = join(root, "models.yml");
  const tested = { api_name: "claude-sonnet-4-5", provider: "anthropic", pricing: PRICING, budgets };
  // JSON is valid YAML.
  writeFileSync(modelsFile, JSON.stringify({ models: { tested } }));
  return { url: mock.url, modelsFile, maxParallel: 8 };
}

/** Usage as counted by the endpoint itself. */
export function sumRequestUsage(requests: readonly MockRequest[]): Usage {
  const sum = (key: "input" | "output") => requests.reduce((total, { usage }) => total + (usage?.[key] ?? 0), 0);
  return { input: sum("input"), output: sum("output") };
}

/** Exact, without rounding errors. */
export function computeTrialCost({ input, output }: Usage): number {
  return (input * MICRO_USD_PER_TOKEN.input + output * MICRO_USD_PER_TOKEN.output) / 1e6;
}

/** Checks that no process and no folder of a trial is left. */
export function expectNothingLeft({ tmp }: AgentTestFolders): void {
  expect(listFolderProcesses(tmp), "processes left running").toEqual([]);
  expect(readdirSync(tmp), "folders left behind").toEqual([]);
}

/** Command lines of processes whose environment contains the folder. */
function listFolderProcesses(folder: string): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    const isOurs = readIfPresent(`/proc/${pid}/environ`).includes(folder);
    return isOurs && !readIfPresent(`/proc/${pid}/stat`).includes(") Z ")
      ? [readIfPresent(`/proc/${pid}/cmdline`)]
      : [];
  });
}

function readIfPresent(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** Waits for a file in a trial's folder and returns its content. */
export async function waitForFile({ tmp }: AgentTestFolders, name: string): Promise<string> {
  const look = () => readdirSync(tmp).map((folder) => readIfPresent(join(tmp, folder, "work", name)));
  await expect.poll(() => look().join(""), { interval: 10 }).not.toBe("");
  return look().join("");
}
