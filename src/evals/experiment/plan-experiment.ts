import type { Dataset } from "../../core/dataset.js";
import type { EvalSpec } from "../spec/spec.js";
import { checkVary } from "./check-vary.js";
import type { Experiment, Variant } from "./experiment.js";
import { datasetsInShard, datasetsOf, stimuliInOrder, trialsOf, type VariantDataset } from "./experiment-datasets.js";
import { planFingerprint } from "./plan-fingerprint.js";
import { formatPointer } from "./pointer.js";
import { experimentError, type ReadVariant, readSpecs } from "./read-specs.js";
import type { ExperimentRecord, RecordedVariant, StimulusName } from "./record.js";
import type { Shard } from "./shard.js";
import { type SpecReader, type SpecReaderOptions, specReader } from "./spec-reader.js";
import { planVariant, type SystemDefaults, type VariantPlan } from "./variant-plan.js";

/** Everything an experiment runs, before anything is spent. */
export interface ExperimentPlan {
  /** One for each variant and eval: `<variant>/<eval>`, with the names of its systems in its terms. */
  readonly datasets: readonly Dataset[];
  readonly variants: readonly VariantPlan[];
  /** What the manifest of the run keeps as `invocation.experiment`. */
  readonly record: ExperimentRecord;
  readonly notes: readonly string[];
}

export interface PlanExperimentOptions extends SpecReaderOptions, SystemDefaults {
  /** Trials of each stimulus; what the experiment says unless told. */
  runs?: number | undefined;
  /** Only stimuli whose tags match all of these. */
  tags?: readonly string[] | undefined;
  /** Only this part of the stimuli. */
  shard?: Shard | undefined;
  /** How eval files are read; as everywhere unless told. */
  reader?: SpecReader | undefined;
}

/**
 * Reads the evals of an experiment in all its variants, holds them to what may vary, and lays them out as one run.
 * @example
 * const { datasets, variants } = await planExperiment(await loadExperiment("experiment.yaml"));
 */
export async function planExperiment(
  experiment: Experiment,
  options: PlanExperimentOptions = {},
): Promise<ExperimentPlan> {
  const reader = options.reader ?? specReader(options);
  const read = await readSpecs(experiment, reader);
  const notes = [...experiment.notes, ...(await checkVary(experiment, read, reader)), ...specNotes(read)];
  const names = await evalNames(experiment, read);
  const runs = options.runs ?? experiment.runs;
  const variants = read.map(({ variant, specs }) =>
    planVariant(
      { name: variant.name, isBaseline: variant.name === experiment.baseline },
      specs.map(({ spec }, i) => ({ name: names[i] ?? spec.name, spec: withRuns(spec, runs) })),
      options,
    ),
  );
  const all = await datasetsOf(variants, reader, options.tags ?? []);
  const own = ofShard(variants, all, options.shard);
  const datasets = { all: all.map(({ dataset }) => dataset), here: own.datasets };
  const order = stimuliInOrder(all);
  return {
    ...own,
    record: recordOf({ experiment, variants, datasets, order, notes, shard: options.shard ?? null }),
    notes,
  };
}

function withRuns(spec: EvalSpec, runs: number | null): EvalSpec {
  return runs === null ? spec : { ...spec, defaults: { ...spec.defaults, runs } };
}

function specNotes(read: readonly ReadVariant[]): string[] {
  return [...new Set(read.flatMap(({ specs }) => specs.flatMap(({ spec }) => spec.notes)))];
}

/** The names of the baseline's evals, by which stimuli of all variants are paired. */
async function evalNames(experiment: Experiment, read: readonly ReadVariant[]): Promise<string[]> {
  const baseline = read.find(({ variant }) => variant.name === experiment.baseline);
  const names = (baseline?.specs ?? []).map(({ spec }) => spec.name);
  const twice = names.findIndex((name, i) => names.indexOf(name) < i);
  if (twice === -1) return names;
  const text = `two evals are called "${names[twice]}", and results are told apart by name: rename one.`;
  throw await experimentError(experiment, [{ path: ["eval", twice], text }]);
}

/** The variants and datasets of a run; systems that a shard does not ask are left out. */
function ofShard(
  variants: readonly VariantPlan[],
  all: readonly VariantDataset[],
  shard: Shard | undefined,
): Pick<ExperimentPlan, "variants" | "datasets"> {
  const datasets = (shard === undefined ? all : datasetsInShard(all, shard)).map(({ dataset }) => dataset);
  const asked = new Set(datasets.flatMap(({ terms }) => terms?.systems ?? []));
  const needed = variants.map((variant) => ({
    ...variant,
    systems: variant.systems.filter(({ name }) => asked.has(name)),
  }));
  return { variants: needed, datasets };
}

/** The datasets of the whole experiment, and those of the run. */
interface PlannedDatasets {
  readonly all: readonly Dataset[];
  readonly here: readonly Dataset[];
}

interface Recorded {
  readonly experiment: Experiment;
  readonly variants: readonly VariantPlan[];
  readonly datasets: PlannedDatasets;
  readonly order: readonly StimulusName[];
  readonly notes: readonly string[];
  readonly shard: Shard | null;
}

function recordOf({ experiment, variants, datasets, order, notes, shard }: Recorded): ExperimentRecord {
  const { name, description, baseline, vary } = experiment;
  return {
    name,
    description,
    fingerprint: planFingerprint({ experiment, variants, datasets: datasets.all }),
    baseline,
    vary: vary.map(formatPointer),
    variants: variants.map((plan, i) => recordedVariant(plan, experiment.variants[i], datasets)),
    stimuli: order.length,
    order,
    shard,
    notes,
  };
}

function recordedVariant(
  plan: VariantPlan,
  variant: Variant | undefined,
  { all, here }: PlannedDatasets,
): RecordedVariant {
  const systems = plan.systems.map(({ name }) => name);
  const settings = (variant?.settings ?? []).map(({ path, value }) => [formatPointer(path), value] as const);
  return {
    name: plan.name,
    systems,
    settings: Object.fromEntries<unknown>(settings),
    planned: { all: trialsOf(all, systems), here: trialsOf(here, systems) },
  };
}
