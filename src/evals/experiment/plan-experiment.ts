import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import {
  AssayError,
  canonicalJson,
  countExampleTrials,
  type Dataset,
  makeDataset,
  NothingToRunError,
  UsageError,
} from "../../core/index.js";
import type { KeyPath } from "../../utils/index.js";
import type { EvalSpec } from "../spec/spec.js";
import type { ExperimentProblem } from "./experiment-error.js";
import type { Experiment, Variant } from "./load-experiment.js";
import {
  type DocumentDifference,
  findDifferences,
  formatPointer,
  getAtPointer,
  isAtOrBelow,
  isSameDocument,
  type PointerPath,
  removeAtPointer,
  setAtPointer,
} from "./pointer.js";
import type { ExperimentRecord, RecordedVariant, StimulusName } from "./record.js";
import { type Shard, selectShardStimuli } from "./record.js";
import {
  createExperimentError,
  createSpecReader,
  getVariantPath,
  readVariantSpecs,
  type SpecReader,
  type SpecReaderOptions,
  type VariantSpec,
  type VariantSpecs,
} from "./spec-reader.js";
import { type PlannedEval, planVariant, type SystemDefaults, type VariantPlan } from "./variant-plan.js";

/** Everything an experiment runs, planned before anything is spent. */
export interface ExperimentPlan {
  /** One for each variant and eval, named `<variant>/<eval>`, with the names of its systems in its terms. */
  readonly datasets: readonly Dataset[];
  readonly variants: readonly VariantPlan[];
  /** Stored in the manifest of the run as `invocation.experiment`. */
  readonly record: ExperimentRecord;
  readonly notes: readonly string[];
}

/** Options of `planExperiment`. */
export interface PlanExperimentOptions extends SpecReaderOptions, SystemDefaults {
  /** Trials of each test case. Default: the value of the experiment. */
  runs?: number | undefined;
  /** Only test cases whose tags match all of these. */
  tags?: readonly string[] | undefined;
  /** Only the test cases of this shard. */
  shard?: Shard | undefined;
  /** Reads eval files. Default: the reader that other commands use. */
  reader?: SpecReader | undefined;
}

/**
 * Reads the evals of an experiment in all variants, checks that they differ only where `vary` allows it, and plans one
 * run of them.
 * @example
 * const { datasets, variants } = await planExperiment(await loadExperiment("experiment.yaml"));
 */
export async function planExperiment(
  experiment: Experiment,
  options: PlanExperimentOptions = {},
): Promise<ExperimentPlan> {
  const reader = options.reader ?? createSpecReader(options);
  const read = await readVariantSpecs(experiment, reader);
  const notes = [...experiment.notes, ...(await checkVary(experiment, read, reader)), ...collectSpecNotes(read)];
  const names = await listEvalNames(experiment, read);
  const runs = options.runs ?? experiment.runs;
  const variants = read.map(({ variant, specs }) =>
    planVariant(
      { name: variant.name, isBaseline: variant.name === experiment.baseline },
      specs.map(({ spec }, i) => ({ name: names[i] ?? spec.name, spec: overrideRuns(spec, runs) })),
      options,
    ),
  );
  const all = await buildVariantDatasets(variants, reader, options.tags ?? []);
  const own = selectShard(variants, all, options.shard);
  const datasets = { all: all.map(({ dataset }) => dataset), here: own.datasets };
  const order = listStimuliInOrder(all);
  return {
    ...own,
    record: buildRecord({ experiment, variants, datasets, order, notes, shard: options.shard ?? null }),
    notes,
  };
}

function overrideRuns(spec: EvalSpec, runs: number | null): EvalSpec {
  return runs === null ? spec : { ...spec, defaults: { ...spec.defaults, runs } };
}

function collectSpecNotes(read: readonly VariantSpecs[]): string[] {
  return [...new Set(read.flatMap(({ specs }) => specs.flatMap(({ spec }) => spec.notes)))];
}

/** Names of the baseline's evals, which pair the test cases of all variants. */
async function listEvalNames(experiment: Experiment, read: readonly VariantSpecs[]): Promise<string[]> {
  const baseline = read.find(({ variant }) => variant.name === experiment.baseline);
  const names = (baseline?.specs ?? []).map(({ spec }) => spec.name);
  const twice = names.findIndex((name, i) => names.indexOf(name) < i);
  if (twice === -1) return names;
  const text = `two evals have the name "${names[twice]}", which identifies their results: rename one.`;
  throw await createExperimentError(experiment, [{ path: ["eval", twice], text }]);
}

/** Leaves out systems that have nothing to do in the shard. */
function selectShard(
  variants: readonly VariantPlan[],
  all: readonly VariantDataset[],
  shard: Shard | undefined,
): Pick<ExperimentPlan, "variants" | "datasets"> {
  const datasets = (shard === undefined ? all : selectShardDatasets(all, shard)).map(({ dataset }) => dataset);
  const asked = new Set(datasets.flatMap(({ terms }) => terms?.systems ?? []));
  const needed = variants.map((variant) => ({
    ...variant,
    systems: variant.systems.filter(({ name }) => asked.has(name)),
  }));
  return { variants: needed, datasets };
}

/** The datasets of the whole experiment, and those of this run. */
interface PlannedDatasets {
  readonly all: readonly Dataset[];
  readonly here: readonly Dataset[];
}

interface RecordParts {
  readonly experiment: Experiment;
  readonly variants: readonly VariantPlan[];
  readonly datasets: PlannedDatasets;
  readonly order: readonly StimulusName[];
  readonly notes: readonly string[];
  readonly shard: Shard | null;
}

function buildRecord({ experiment, variants, datasets, order, notes, shard }: RecordParts): ExperimentRecord {
  const { name, description, baseline, vary } = experiment;
  return {
    name,
    description,
    fingerprint: hashPlan({ experiment, variants, datasets: datasets.all }),
    baseline,
    vary: vary.map(formatPointer),
    variants: variants.map((plan, i) => buildRecordedVariant(plan, experiment.variants[i], datasets)),
    stimuli: order.length,
    order,
    shard,
    notes,
  };
}

function buildRecordedVariant(
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
    planned: { all: countVariantTrials(all, systems), here: countVariantTrials(here, systems) },
  };
}

interface FingerprintParts {
  readonly experiment: Experiment;
  readonly datasets: readonly Dataset[];
  readonly variants: readonly VariantPlan[];
}

/** Identifies a plan by its questions, systems and settings, independent of where its files are. */
function hashPlan({ experiment, datasets, variants }: FingerprintParts): string {
  const { name, baseline, vary, file } = experiment;
  const content = canonicalJson({
    name,
    baseline,
    vary: vary.map(formatPointer),
    variants: variants.map(({ name: variant, systems }) => ({ variant, systems })),
    datasets: datasets.map(({ name: dataset, examples, terms, limits }) => ({
      dataset,
      examples,
      terms,
      ...(limits !== undefined && { limits: [...limits] }),
    })),
  });
  return createHash("sha256").update(stripProjectRoot(content, file)).digest("hex");
}

/** Shards run on different machines, where the project is in different folders. */
function stripProjectRoot(json: string, file: string): string {
  const root = findProjectRoot(dirname(file));
  const start = JSON.stringify(root.endsWith(sep) ? root : root + sep).slice(0, -1);
  return json.replaceAll(start, '"./');
}

function findProjectRoot(dir: string): string {
  for (let at = dir; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return dir;
  }
}

/** `evalName` is the same in all variants. */
interface VariantDataset {
  readonly evalName: string;
  readonly dataset: Dataset;
}

/** Leaves out datasets in which no test case matches the filters. */
async function buildVariantDatasets(
  variants: readonly VariantPlan[],
  reader: SpecReader,
  tags: readonly string[],
): Promise<VariantDataset[]> {
  const made: VariantDataset[] = [];
  for (const planned of variants.flatMap(({ evals }) => evals))
    made.push({ evalName: planned.name, dataset: await buildEvalDataset(planned, reader, tags) });
  requireUniqueNames(made.map(({ dataset }) => dataset.name));
  const filled = made.filter(({ dataset }) => dataset.examples.length > 0);
  if (filled.length === 0) throw new NothingToRunError(`No test case has the tags ${tags.join(", ")}. Check --tag.`);
  return filled;
}

async function buildEvalDataset(planned: PlannedEval, reader: SpecReader, tags: readonly string[]): Promise<Dataset> {
  const { dataset: name, spec, systems, limits } = planned;
  const stimuli = tags.length === 0 ? spec.stimuli : spec.stimuli.filter((each) => reader.isWanted(each.tags, tags));
  // The gates are for the unchanged eval; a baseline without the skill under test is expected to miss them.
  // Notes are added to the plan once instead of for every variant.
  const { gates: _, fingerprint: __, notes: ___, ...made } = await reader.dataset({ ...spec, stimuli });
  return makeDataset({
    ...made,
    name,
    // The test cases of all variants of an eval are the same tasks.
    pairedAs: planned.name,
    examples: made.examples.map((example) => ({ ...example, dataset: name })),
    terms: { ...made.terms, systems, trials: limits.runs },
  });
}

/** Variant `a` with eval `b/c` and variant `a/b` with eval `c` would be the same dataset. */
function requireUniqueNames(names: readonly string[]): void {
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice === undefined) return;
  throw new UsageError(
    `Two datasets of the experiment would have the name "${twice}". Rename a variant or an eval so that it contains no /.`,
  );
}

function collectStimulusKeys(datasets: readonly VariantDataset[]): Set<string> {
  return new Set(datasets.flatMap((each) => each.dataset.examples.map(({ id }) => formatStimulusKey(each, id))));
}

function formatStimulusKey({ evalName }: VariantDataset, id: string | number): string {
  return JSON.stringify([evalName, id]);
}

/** In the order of the eval files. */
function listStimuliInOrder(datasets: readonly VariantDataset[]): StimulusName[] {
  const evals = [...new Set(datasets.map(({ evalName }) => evalName))];
  const sorted = evals.flatMap((name) => datasets.filter(({ evalName }) => evalName === name));
  return [...collectStimulusKeys(sorted)].map((key) => JSON.parse(key) as StimulusName);
}

function countVariantTrials(datasets: readonly Dataset[], systems: readonly string[]): number {
  const asked = ({ terms }: Dataset) => systems.filter((system) => terms?.systems?.includes(system)).length;
  const trialsOf = (each: Dataset) =>
    each.examples.reduce((sum, example) => sum + countExampleTrials(example, each, 1), 0);
  return datasets.reduce((sum, each) => sum + asked(each) * trialsOf(each), 0);
}

function selectShardDatasets(datasets: readonly VariantDataset[], shard: Shard): VariantDataset[] {
  const wanted = selectShardStimuli(collectStimulusKeys(datasets), shard);
  return datasets.flatMap((each) => {
    const examples = each.dataset.examples.filter(({ id }) => wanted.has(formatStimulusKey(each, id)));
    return examples.length === 0 ? [] : [{ ...each, dataset: makeDataset({ ...each.dataset, examples }) }];
  });
}

/**
 * Throws unless each variant differs from the baseline, and only at the paths of `vary`. Compares the evals as they are
 * understood after loading: the baseline with the variant's values at those paths must give the variant.
 */
async function checkVary(experiment: Experiment, read: readonly VariantSpecs[], reader: SpecReader): Promise<string[]> {
  const baseline = read.find(({ variant }) => variant.name === experiment.baseline);
  if (baseline === undefined) throw new Error(`Unknown variant ${experiment.baseline}.`);
  const problems: ExperimentProblem[] = [];
  for (const one of read)
    if (one !== baseline) problems.push(...(await findVaryProblems(one, baseline, { vary: experiment.vary, reader })));
  if (problems.length > 0) throw await createExperimentError(experiment, problems);
  return [...noteUnvariedPointers(experiment.vary, read), ...noteEqualVariants(read)];
}

interface VaryContext {
  readonly vary: readonly PointerPath[];
  readonly reader: SpecReader;
}

async function findVaryProblems(
  one: VariantSpecs,
  baseline: VariantSpecs,
  allowed: VaryContext,
): Promise<ExperimentProblem[]> {
  if (isSameVariant(one, baseline))
    return [
      {
        path: getVariantPath(one.variant),
        isAtKey: true,
        text: `variant "${one.variant.name}" is the same as the baseline "${baseline.variant.name}": change something in it, or remove it.`,
      },
    ];
  const found: ExperimentProblem[] = [];
  for (const [index, spec] of one.specs.entries()) {
    const base = baseline.specs[index];
    if (base === undefined) continue;
    const offending = await findDifferencesOutsideVary(spec, base, allowed);
    found.push(...offending.map((difference) => describeVaryProblem(difference, one, baseline)));
  }
  return found;
}

function describeVaryProblem(
  { path, before, after }: DocumentDifference,
  { variant }: VariantSpecs,
  baseline: VariantSpecs,
): ExperimentProblem {
  const { place, pointer } = findDifferenceCause(path, [variant, baseline.variant]);
  return {
    path: place,
    isAtKey: true,
    text: `variant "${variant.name}" differs at ${formatPointer(path)}, which is not under vary: ${formatDifferenceValue(after)}, but ${formatDifferenceValue(before)} in "${baseline.variant.name}". Add ${pointer} to vary, or make the values equal.`,
  };
}

/** Returns the setting of either variant that causes a difference, or the first setting if none does. */
function findDifferenceCause(
  path: PointerPath,
  variants: readonly [Variant, Variant],
): { place: KeyPath; pointer: string } {
  for (const each of variants) {
    const setting = each.settings.find((one) => isAtOrBelow(path, one.path));
    if (setting !== undefined) return { place: getVariantPath(each, setting), pointer: formatPointer(setting.path) };
  }
  return { place: getVariantPath(variants[0]), pointer: formatPointer(path) };
}

const MAX_VALUE_LENGTH = 120;

function formatDifferenceValue(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH)}…`;
}

/** Differences that the values at the paths of `vary` do not explain. */
async function findDifferencesOutsideVary(
  one: VariantSpec,
  base: VariantSpec,
  { vary, reader }: VaryContext,
): Promise<DocumentDifference[]> {
  const isOutside = ({ path }: DocumentDifference) => !vary.some((above) => isAtOrBelow(path, above));
  const written = findDifferences(base.raw, one.raw).filter(isOutside);
  const expected = await tryReadEdited(reader, base.file, () => copyValues(base.raw, one.raw, vary));
  const meant =
    expected === null
      ? null
      : findDifferences(pickMeaningfulFields(expected), pickMeaningfulFields(one.spec)).filter(isOutside);
  if (meant?.length === 0) return [];
  const telling = written.filter(({ path }) => !IGNORED_KEYS.has(path[0] ?? ""));
  return telling.length > 0 ? telling : (meant ?? written);
}

/** Keys that do not change how an eval is run. */
const IGNORED_KEYS = new Set(["description", "version"]);

/** Returns null if the baseline with those values is not a valid eval: then the variant needs another setting as well. */
async function tryReadEdited(reader: SpecReader, file: string, edit: () => unknown): Promise<EvalSpec | null> {
  try {
    return await reader.load(file, edit);
  } catch (error) {
    if (error instanceof AssayError) return null;
    throw error;
  }
}

/** Copies the values at these paths, or removes them where the source has none. */
function copyValues(into: unknown, from: unknown, places: readonly PointerPath[]): unknown {
  const isThere = (path: PointerPath) => getAtPointer(from, path) !== undefined;
  const set = places
    .filter(isThere)
    .reduce((document, path) => setAtPointer(document, path, getAtPointer(from, path)), into);
  // From the last list entry to the first, so that the indexes of the others stay valid.
  return places
    .filter((path) => !isThere(path))
    .toSorted((a, b) => formatPointer(b).localeCompare(formatPointer(a), "en", { numeric: true }))
    .reduce(removeAtPointer, set);
}

/** Keeps what decides how an eval is run. */
function pickMeaningfulFields({ file: _, notes: __, description: ___, stimuli, ...rest }: EvalSpec): unknown {
  return { ...rest, stimuli: stimuli.map(({ line: ____, column: _____, ...stimulus }) => stimulus) };
}

function isSameVariant(a: VariantSpecs, b: VariantSpecs): boolean {
  return isSameDocument(
    a.specs.map(({ spec }) => pickMeaningfulFields(spec)),
    b.specs.map(({ spec }) => pickMeaningfulFields(spec)),
  );
}

function noteUnvariedPointers(vary: readonly PointerPath[], read: readonly VariantSpecs[]): string[] {
  const valuesAt = (path: PointerPath) =>
    read.map(({ specs }) => specs.map(({ raw }) => getAtPointer(raw, path) ?? null));
  return vary
    .filter((path) => valuesAt(path).every((values, _, [first]) => isSameDocument(values, first)))
    .map((path) => `vary names ${formatPointer(path)}, but its value is the same in all variants`);
}

function noteEqualVariants(read: readonly VariantSpecs[]): string[] {
  return read.flatMap((one, index) => {
    const twin = read.slice(0, index).find((other) => isSameVariant(one, other));
    return twin === undefined ? [] : [`variants "${twin.variant.name}" and "${one.variant.name}" are the same`];
  });
}
