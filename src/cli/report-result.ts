import type { Dataset } from "../core/dataset.js";
import { AssayError, EXIT, messageOf, ReporterError } from "../core/errors.js";
import type { ExampleSource } from "../core/example.js";
import { breakdownOf } from "../core/facets.js";
import type { Metric, MetricRun } from "../core/metric.js";
import { type GateVerdict, type Rendered, type ReportOptions, registry } from "../core/registry.js";
import type { EvalResult } from "../core/result.js";
import { checkGates, type Gates, type Judgement, judge } from "./gates.js";
import { DEFAULT_MIN_COVERAGE, type RunConfig } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";
import { say, writeResult } from "./streams.js";

/** Prints the report once no user code runs any more. Returns the exit code. */
export type Report = () => Promise<number>;

/** The gates of a run, checked against what it will measure. */
export function gatesOf(
  config: RunConfig & Pick<RunFlags, "eval">,
  { metrics, datasets }: { metrics: readonly Metric[]; datasets: readonly (Dataset | ExampleSource)[] },
): Gates {
  const { minCoverage = DEFAULT_MIN_COVERAGE, failUnder = {}, failOver = {}, trials = 1 } = config;
  const gates = { minCoverage, failUnder, failOver, requirePass: config.eval?.requirePass ?? false };
  checkGates(gates, {
    trials,
    metrics,
    datasets: () => [...new Set(datasets.flatMap(tagsOf))],
    facets: () => datasets.flatMap(facetsIn),
  });
  return gates;
}

/** The examples' own tags, or the name of their dataset. */
function tagsOf(dataset: Dataset | ExampleSource): string[] {
  return "examples" in dataset ? dataset.examples.map((example) => example.dataset ?? dataset.name) : [];
}

/** Facets of the examples, as stored in their rows. */
function facetsIn(dataset: Dataset | ExampleSource): NonNullable<MetricRun["facets"]> {
  if (!("examples" in dataset)) return [];
  const { examples, name } = dataset;
  return examples.map((example) => ({ dataset: example.dataset ?? name, facets: breakdownOf(example, dataset) }));
}

interface Reported {
  config: RunConfig;
  gates: Gates;
  /** Exit code after an interrupt; null if there was none. */
  stopCode: number | null;
  /** The command that resumes an interrupted run. */
  goOn: string;
  /** Further processing of the result and its judgment; runs even after an interrupt. */
  also?: (gates: readonly GateVerdict[]) => Promise<Judgement | undefined>;
}

/** Writes the report to stdout and chooses the exit code. */
export async function report(result: EvalResult, about: Reported): Promise<number> {
  const { output = "table", columns } = about.config;
  const judged = about.stopCode === null ? tryJudging(result, about.gates) : null;
  const gates = judged?.verdicts ?? [];
  await writeResult(await render(output, result, { gates, ...(columns === undefined ? {} : { columns }) }));
  if (result.runDir !== null) say(`Stored in ${result.runDir}`);
  const more = await about.also?.(gates);
  if (about.stopCode !== null) {
    say(`Interrupted. Resume with: ${about.goOn}`);
    return about.stopCode;
  }
  if (judged === null || "problem" in judged) throw judged?.problem;
  const { exitCode, messages } = judged;
  for (const message of [...messages, ...(more?.messages ?? [])]) say(message);
  return exitCode === EXIT.fine ? (more?.exitCode ?? EXIT.fine) : exitCode;
}

/** A gate on a metric that does not exist ends the command after the report is written. */
function tryJudging(result: EvalResult, gates: Gates): Judgement | { problem: unknown; verdicts?: undefined } {
  try {
    return judge(result, gates);
  } catch (problem) {
    return { problem };
  }
}

/** A custom reporter may fail; the run itself is stored. */
async function render(name: string, result: EvalResult, options: ReportOptions): Promise<Rendered> {
  try {
    return await registry.get("reporter", name).render(result, options);
  } catch (cause) {
    if (cause instanceof AssayError) throw cause;
    throw new ReporterError(
      `The reporter "${name}" failed: ${messageOf(cause)}. The run is stored in ${result.runDir}.`,
      {
        cause,
      },
    );
  }
}
