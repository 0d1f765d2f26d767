import type { Dataset, Evaluator } from "../../core/index.js";
import { DatasetError, registry as defaultRegistry, type Registry, UsageError } from "../../core/index.js";
import { type BoxOptions, resolveBoxSettings } from "../../exec/index.js";
import { GraderEvaluator } from "../../graders/index.js";
import { ConcurrencyLimit } from "../../utils/index.js";
import type { EvalSpec } from "../spec/spec.js";
import {
  checkStimulus,
  type OracleContext,
  type OracleTask,
  type PreparedTask,
  prepareTask,
} from "./check-stimulus.js";
import { isSurvivor, type OracleProgress, OracleProgressTracker, type StimulusCheck, waitForAll } from "./result.js";

const DEFAULT_MAX_OMISSIONS = 50;
const DEFAULT_WORKERS = 2;

export interface OracleOptions {
  /** Lines of a golden patch to leave out one by one, for each test case. Default: 50. */
  readonly maxOmissions?: number;
  /** Folders graded at the same time. Default: 2. */
  readonly workers?: number;
  /** Where graders are looked up, besides the built-in ones. Default: the shared registry. */
  readonly registry?: Registry;
  /** Where commands of set-ups and graders run. Default: with all rights of this process. */
  readonly box?: BoxOptions;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: OracleProgress) => void;
}

/** Lists the test cases of an eval file for the oracle. */
export function oracleTasks(spec: EvalSpec, dataset: Dataset): OracleTask[] {
  const examples = new Map(dataset.examples.map((example) => [String(example.id), example]));
  return spec.stimuli.map(({ name, goldenPatch, line, column }) => {
    const example = examples.get(name);
    if (example === undefined) throw new DatasetError(`The test case "${name}" of ${spec.file} is not in its dataset.`);
    return { place: { eval: spec.name, stimulus: name, file: spec.file, line, column }, example, goldenPatch };
  });
}

/**
 * Checks graders without an agent: they must fail the untouched folder, pass the folder with the golden patch, and notice
 * each missing line. Removes all folders it creates, even when it is stopped.
 * @example
 * const spec = await loadSpec("eval.yaml");
 * const checks = await runOracle(oracleTasks(spec, await toDataset(spec)));
 */
export async function runOracle(tasks: readonly OracleTask[], options: OracleOptions = {}): Promise<StimulusCheck[]> {
  const { maxOmissions = DEFAULT_MAX_OMISSIONS, workers = DEFAULT_WORKERS, registry = defaultRegistry } = options;
  requireIntegerOption("maxOmissions", maxOmissions, 0);
  requireIntegerOption("workers", workers, 1);
  const evaluator: Evaluator = new GraderEvaluator({ registry });
  const tally = new OracleProgressTracker(tasks.length, options.onProgress);
  const bench: OracleContext = {
    evaluator,
    registry,
    maxOmissions,
    box: resolveBoxSettings(options.box ?? {}),
    limit: new ConcurrencyLimit(workers),
    signal: options.signal ?? new AbortController().signal,
    onPlan: (count) => tally.plan(count),
    onTried: (tried) => tally.countGraded(tried !== null && isSurvivor(tried)),
    onFinished: () => tally.finish(),
  };
  try {
    const ready = tasks.map((task) => prepareTask(task, bench));
    await evaluator.prepare?.();
    return await checkTasks(ready, bench, workers);
  } finally {
    await evaluator.close?.();
  }
}

/** Limited by `workers`, because each task keeps a folder while it is checked. */
function checkTasks(tasks: readonly PreparedTask[], bench: OracleContext, workers: number): Promise<StimulusCheck[]> {
  const stimuli = new ConcurrencyLimit(workers);
  const check = async (task: PreparedTask) => {
    const checked = await checkStimulus(task, bench);
    bench.onFinished();
    return checked;
  };
  return waitForAll(tasks.map((task) => stimuli.run(() => check(task))));
}

function requireIntegerOption(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new UsageError(`${name} is ${value}: it must be a whole number of at least ${least}.`);
}
