import type { Dataset } from "../core/dataset.js";
import { EXIT, UsageError } from "../core/errors.js";
import type { ExampleSource } from "../core/example.js";
import { registry } from "../core/registry.js";
import type { EvalResult } from "../core/result.js";
import type { EvalSpec } from "../evals/spec/index.js";
import { type JudgeModelPlace, registerJudgeGraders } from "../graders/judge/register-judge-graders.js";
import { standardMetrics } from "../metrics/index.js";
import { evalReport, gatedKey } from "../report/eval/eval-report.js";
import { gateInWords } from "../report/eval/eval-text.js";

import { writeEvalFiles } from "./eval-files.js";
import { planEvals } from "./eval-plan.js";
import { checkGate, type Judgement } from "./gates.js";
import { closeAll, withSystems } from "./resolve.js";
import { runWith } from "./run.js";
import type { RunConfig } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";
import { say } from "./streams.js";
import { requireTrust } from "./trust.js";
import { withMock } from "./with-mock.js";
import type { Concluded, Workbench } from "./workbench.js";

/** `assay eval`: a run whose examples are the stimuli of eval files, and whose systems are the agents they name. */
export function evalCommand(flags: RunFlags): Promise<number> {
  return runWith(EVAL, { output: "eval", ...flags });
}

/** What `assay eval` measures, and on what. */
export const EVAL: Workbench = {
  command: "eval",
  metrics: standardMetrics,
  async lend({ config }, use) {
    requireNoMock(config);
    return withMock({ mock: config.eval?.mock, agentUrl: config.agentUrl }, async (url) => {
      const settings = url === undefined ? config : { ...config, agentUrl: url };
      registerJudgeGraders(judgePlace(settings, url));
      const { specs, datasets, agents, notes } = await planEvals(settings);
      requireTrustedSpecs(specs, config);
      for (const note of notes) say(note);
      for (const dataset of datasets) checkOwnGates(dataset);
      const run = { ...agentSettings(settings), agents };
      try {
        return await inEvalFlags(() => withSystems(registry, run, (systems) => use({ systems, datasets })));
      } finally {
        await closeGraders(datasets);
      }
    });
  },
  conclude: concludeEval,
};

/** A plan runs nothing, and a run that goes on was trusted with what it names. */
function requireTrustedSpecs(specs: readonly EvalSpec[], { dryRun, resume, trust }: RunFlags): void {
  if (dryRun === true || resume !== undefined) return;
  for (const { file } of specs) requireTrust(file, "it has commands and agents run", { trust });
}

/** Each worker would have a simulated model of its own, at an address of its own. */
function requireNoMock({ queue, eval: choice }: RunFlags): void {
  if (queue === undefined || choice?.mock === undefined) return;
  throw new UsageError(
    "--mock answers on this machine alone, and the workers of a queue ask from theirs. Start assay mock --port 8080 where all can reach it, and give --agent-url.",
  );
}

/** Eval files bring evaluators of their own, which hold connections to judges. */
export async function closeGraders(datasets: readonly (Dataset | ExampleSource)[]): Promise<void> {
  await closeAll(datasets.flatMap((dataset) => ("evaluators" in dataset ? (dataset.evaluators ?? []) : [])));
}

/** What is wrong with an agent is said in the flags of `assay run`, which names agents by others. */
async function inEvalFlags<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UsageError) || !/--agent(?:-command|-model)? /.test(error.message)) throw error;
    const message = error.message
      .replaceAll("--agent-command ", "--executor ")
      .replaceAll("--agent-model ", "--model ")
      .replaceAll("--agent ", "--executor ");
    throw new UsageError(message, { cause: error });
  }
}

/** Where graders find the models that they ask. */
function judgePlace({ eval: choice, modelsFile, allowInsecure }: RunFlags, mock: string | undefined): JudgeModelPlace {
  const { judgeUrl = mock, judgeApiKeyEnv } = choice ?? {};
  return {
    ...(modelsFile === undefined ? {} : { modelsFile }),
    ...(allowInsecure === undefined ? {} : { allowInsecure }),
    ...(judgeUrl === undefined ? {} : { url: judgeUrl }),
    ...(judgeApiKeyEnv === undefined ? {} : { apiKeyEnv: judgeApiKeyEnv }),
  };
}

/** A gate that can never be decided is an error before anything is spent. */
function checkOwnGates({ name, gates = [], terms }: Dataset): void {
  const run = {
    trials: terms?.trials ?? 1,
    trialsFlag: "--runs",
    metrics: standardMetrics(1, 1),
    datasets: () => [name],
  };
  for (const { metric } of gates.filter((gate) => !/^pass_(?:at|hat)_1$/.test(gate.metric)))
    checkGate(`The gate of ${name} on ${metric}`, gatedKey(metric), run);
}

/** What a config file says of other runs is no part of an eval. */
export function agentSettings(config: RunConfig): RunConfig {
  const { systems: _, models: __, replay: ___, datasets: ____, reader: _____, ...rest } = config;
  return rest;
}

/** Writes what is asked for, and says what the gates decide. */
async function concludeEval(result: EvalResult, { config, gates }: Concluded): Promise<Judgement> {
  writeEvalFiles(result, { ...config.eval, gates });
  return judgeEval(result);
}

/** Holds each eval against its gates. */
export function judgeEval(result: EvalResult): Judgement {
  const started = result.rows.filter(({ outcome }) => outcome !== "skipped").length;
  if (started === 0)
    return { exitCode: EXIT.infrastructure, messages: ["No trial was run: nothing is known, so that nothing passed."] };
  const { parts } = evalReport(result);
  const failed = parts.flatMap(({ eval: name, system, gates }) =>
    gates.filter(({ passed }) => !passed).map((gate) => `${name}: ${system}: gate ${gateInWords(gate)}`),
  );
  return { exitCode: failed.length > 0 ? EXIT.gateFailed : EXIT.fine, messages: failed };
}
