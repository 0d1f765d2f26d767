import type { Dataset, EvalResult, ExampleSource } from "../core/index.js";
import { countExampleTrials, EXIT, omitUndefined, registry, UsageError } from "../core/index.js";
import type { EvalSpec } from "../evals/index.js";
import { type JudgeModelPlace, registerJudgeGraders } from "../graders/index.js";
import { standardMetrics } from "../metrics/index.js";
import { evalReport, formatGateResult, resolveGateKey } from "../report/index.js";

import { planEvals } from "./eval-plan.js";
import { checkGate, type GateJudgment } from "./gates.js";
import { closeResources, withSystems } from "./resolve.js";
import { runFromSource } from "./run.js";
import type { RunConfig } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";
import type { RunSource } from "./run-source.js";
import { requireLocalMock, withMock } from "./simulate.js";
import { printNote } from "./streams.js";
import { requireTrust } from "./trust.js";

/** `assay eval`: a run whose examples are the test cases of eval files and whose systems are the agents they name. */
export function executeEval(flags: RunFlags): Promise<number> {
  return runFromSource(EVAL_SOURCE, { output: "eval", ...flags });
}

export const EVAL_SOURCE: RunSource = {
  command: "eval",
  metrics: standardMetrics,
  async open({ config }, use) {
    requireLocalMock(config, config.eval?.mock);
    return withMock({ mock: config.eval?.mock, agentUrl: config.agentUrl }, async (simulated) => {
      const url = simulated?.url;
      const settings =
        simulated === undefined
          ? config
          : { ...config, simulated, agentUrl: simulated.url, canary: config.canary ?? false };
      registerJudgeGraders(locateEvalJudge(settings, url));
      const { specs, datasets, agents, notes } = await planEvals(settings);
      requireTrustedSpecs(specs, config);
      for (const note of notes) printNote(note);
      for (const dataset of datasets) checkEvalGates(dataset);
      const run = { ...selectAgentSettings(settings), agents };
      try {
        return await renameFlagsInErrors(() => withSystems(registry, run, (systems) => use({ systems, datasets })));
      } finally {
        await closeGraders(datasets);
      }
    });
  },
  judge: judgeEval,
};

/** A dry run runs nothing, and a resumed run was trusted when it was started. */
function requireTrustedSpecs(specs: readonly EvalSpec[], { dryRun, resume, trust }: RunFlags): void {
  if (dryRun === true || resume !== undefined) return;
  for (const { file } of specs) requireTrust(file, "it runs commands and agents", { trust });
}

/** Evaluators of eval files hold connections to judges. */
export async function closeGraders(datasets: readonly (Dataset | ExampleSource)[]): Promise<void> {
  await closeResources(datasets.flatMap((dataset) => ("evaluators" in dataset ? (dataset.evaluators ?? []) : [])));
}

/** Errors about agents name the flags of `assay run`; replaces them with those of `assay eval`. */
async function renameFlagsInErrors<T>(work: () => Promise<T>): Promise<T> {
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

function locateEvalJudge(
  { eval: choice, modelsFile, allowInsecure, traffic }: RunFlags,
  mock: string | undefined,
): JudgeModelPlace {
  const { judgeUrl = mock, judgeApiKeyEnv } = choice ?? {};
  return {
    ...omitUndefined({ modelsFile, allowInsecure, url: judgeUrl, apiKeyEnv: judgeApiKeyEnv, traffic }),
  };
}

/** A gate that can never be decided is an error before anything is spent. */
function checkEvalGates(dataset: Dataset): void {
  const { name, gates = [], examples } = dataset;
  const run = {
    trials: examples.reduce((most, example) => Math.max(most, countExampleTrials(example, dataset, 1)), 1),
    trialsFlag: "--runs",
    metrics: standardMetrics(1, 1),
    datasets: () => [name],
  };
  for (const { metric } of gates.filter((gate) => !/^pass_(?:at|hat)_1$/.test(gate.metric)))
    checkGate(`The gate of ${name} on ${metric}`, resolveGateKey(metric), run);
}

/** Other settings of a config file do not apply to evals. */
export function selectAgentSettings(config: RunConfig): RunConfig {
  const { systems: _, models: __, replay: ___, datasets: ____, reader: _____, ...rest } = config;
  return rest;
}

/** Applies the gates of the eval files. */
export function judgeEval(result: EvalResult): GateJudgment {
  const started = result.rows.filter(({ outcome }) => outcome !== "skipped").length;
  if (started === 0) return { exitCode: EXIT.infrastructure, messages: ["No trials were run, so nothing can pass."] };
  const { parts } = evalReport(result);
  const failed = parts.flatMap(({ eval: name, system, gates }) =>
    gates.filter(({ passed }) => !passed).map((gate) => `${name}: ${system}: gate ${formatGateResult(gate)}`),
  );
  const checked = parts.reduce((sum, { gates }) => sum + gates.length, 0);
  return { exitCode: failed.length > 0 ? EXIT.gateFailed : EXIT.fine, messages: failed, checked };
}
