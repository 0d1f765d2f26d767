import { hashContent, omitUndefined, UsageError } from "../core/index.js";
import { registerJudgeGraders } from "../graders/index.js";
import type { RunFlags, SimulatedModel } from "./run-flags.js";
import { printNote } from "./streams.js";

interface MockRequestFlags {
  /** Script of a simulated model. */
  mock?: string | undefined;
  agentUrl?: string | undefined;
}

/** Starts the simulated model, if there is one, while `use` runs. */
export async function withMock<T>(
  { mock: script, agentUrl }: MockRequestFlags,
  use: (model?: SimulatedModel) => Promise<T>,
): Promise<T> {
  if (script === undefined) return use();
  if (agentUrl !== undefined) throw new UsageError("--mock cannot be combined with --agent-url. Remove one of them.");
  const [{ startMock }, { loadScript }, { loadScriptAnswers }] = await Promise.all([
    import("../testing/mock/index.js"),
    import("../testing/mock/script-file.js"),
    import("../testing/mock/answer-file.js"),
  ]);
  const loaded = await loadScriptAnswers(loadScript(script));
  const mock = await startMock({ ...loaded, keepRequests: 0 });
  printNote(`The model is simulated by ${script}: the results say nothing about a real one.`);
  try {
    return await use({ url: mock.url, id: `mock ${hashContent(loaded)}` });
  } finally {
    await mock.close();
  }
}

/** Sends all model calls of a run to the simulated model of `--mock`, those of graders in the dataset included. */
export function withSimulatedModels<T>(config: RunFlags, use: (config: RunFlags) => Promise<T>): Promise<T> {
  requireLocalMock(config, config.mock);
  return withMock(config, (simulated) => {
    if (simulated === undefined) return use(config);
    const { modelsFile, traffic } = config;
    registerJudgeGraders({ url: simulated.url, ...omitUndefined({ modelsFile, traffic }) });
    // A simulated model follows its script, which has no canary.
    return use({ ...config, simulated, agentUrl: simulated.url, canary: config.canary ?? false });
  });
}

/** Each worker would start its own simulated model at its own address. */
export function requireLocalMock({ queue }: RunFlags, script: string | undefined): void {
  if (queue === undefined || script === undefined) return;
  throw new UsageError(
    "--mock works only on this machine, but queue workers run on others. Start assay mock --port 8080 where all of them can reach it, and pass --agent-url (for models: --proxy).",
  );
}
