import { join } from "node:path";
import { type FaultRule, parseFaultRules } from "../budget/index.js";
import {
  type Dataset,
  digest,
  type Example,
  type ExampleSource,
  registry,
  type System,
  UsageError,
} from "../core/index.js";
import { standardMetrics } from "../metrics/index.js";
import { formatDollars, formatPlural } from "../report/index.js";
import {
  createArms,
  type FrozenPerturbations,
  freezePerturbations,
  hashTask,
  Paraphraser,
  type PerturbationKind,
  parsePerturbations,
} from "../stress/index.js";
import { openModelSystems } from "./model-systems.js";
import { closeResources, resolveDatasets, withSystems } from "./resolve.js";
import { requireSystemsAndDatasets, runFromSource } from "./run.js";
import type { RunFlags, StressSelection } from "./run-flags.js";
import type { RunSource } from "./run-source.js";
import { printNote } from "./streams.js";

/** Where perturbations are kept unless --perturbations names a file. */
const PERTURBATIONS_DIR = ".assay/perturbations";

/** Flags of `assay stress`: those of a run, and what its systems are put under. */
export type StressRequest = RunFlags & StressSelection;

/** `assay stress`: runs systems as they are, with injected faults and with reworded tasks, and reports how reliable they are. */
export async function executeStress(request: StressRequest): Promise<number> {
  const { faults, perturb, perturbModel, perturbations, askConfidence, ...flags } = request;
  const given = { faults, perturb, perturbModel, perturbations, askConfidence };
  const stress = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  if (flags.resume !== undefined) {
    const [name] = Object.keys(stress);
    if (name !== undefined)
      throw new UsageError(
        `--resume keeps the stress of the run. Remove ${STRESS_FLAGS[name as keyof StressSelection]}.`,
      );
    return runFromSource(STRESS_SOURCE, flags);
  }
  checkStress(stress, flags);
  return runFromSource(STRESS_SOURCE, { ...flags, stress, withoutQueue: true });
}

const STRESS_FLAGS: Readonly<Record<keyof StressSelection, string>> = {
  faults: "--faults",
  perturb: "--perturb",
  perturbModel: "--perturb-model",
  perturbations: "--perturbations",
  askConfidence: "--ask-confidence",
};

/** Everything that can be checked before anything is loaded. */
function checkStress(stress: StressSelection, { trials = 1 }: RunFlags): void {
  const { kinds } = parseStress(stress);
  const { perturbModel, perturbations } = stress;
  if (perturbModel !== undefined && !kinds.includes("paraphrase"))
    throw new UsageError(
      "--perturb-model writes paraphrases, but none are asked for. Add --perturb paraphrase, or remove it.",
    );
  if (perturbations !== undefined && kinds.length === 0)
    throw new UsageError(
      "--perturbations names a file of perturbations, but none are asked for. Add --perturb typos,reorder, or remove it.",
    );
  if (stress.faults === undefined && kinds.length === 0 && stress.askConfidence !== true && trials < 2)
    throw new UsageError(
      "Nothing to measure: give --faults 429=0.1,cut=0.05, --perturb typos,reorder, --ask-confidence, or --trials 5 for consistency.",
    );
  if (trials < 2) printNote("One trial of each task says nothing about consistency. Add --trials 5 to measure it.");
}

function parseStress({ faults, perturb = [] }: StressSelection): { rules: FaultRule[]; kinds: PerturbationKind[] } {
  return { rules: faults === undefined ? [] : parseFaultRules(faults), kinds: parsePerturbations(perturb) };
}

const STRESS_SOURCE: RunSource = {
  command: "stress",
  metrics: standardMetrics,
  open: ({ config, revisions }, use) =>
    withSystems(registry, config, async (systems) => {
      requireSystemsAndDatasets(systems, config);
      const datasets = await resolveDatasets(registry, config, revisions);
      const { stress = {} } = config;
      const { rules, kinds } = parseStress(stress);
      const frozen = kinds.length === 0 ? NOTHING_FROZEN : await freezeForRun(kinds, datasets, config);
      for (const note of frozen.notes) printNote(note);
      const plan = { faults: rules, perturbations: frozen.byKind, asksConfidence: stress.askConfidence === true };
      const arms = createArms(systems, plan);
      noteArms(systems, arms);
      return use({ systems: arms, datasets });
    }),
};

const NOTHING_FROZEN: FrozenPerturbations = { byKind: new Map(), notes: [] };

function noteArms(systems: readonly System[], arms: readonly System[]): void {
  const kinds = [...new Set(arms.flatMap(({ arm }) => arm?.kind ?? []))];
  printNote(`${formatPlural(systems.length, "system")} × ${formatPlural(kinds.length, "arm")}: ${kinds.join(", ")}`);
}

/** Perturbations of the same examples and seed are made once. */
async function freezeForRun(
  kinds: readonly PerturbationKind[],
  datasets: readonly (Dataset | ExampleSource)[],
  config: RunFlags,
): Promise<FrozenPerturbations> {
  const { stress = {}, seed = 0, dryRun } = config;
  const examples = datasets.flatMap(listExamples);
  const content = digest([seed, examples.map((example) => [example.dataset, example.id, hashTask(example)])]);
  const file =
    stress.perturbations ?? join(PERTURBATIONS_DIR, `${nameDatasets(datasets)}-${content.slice(0, 12)}.jsonl`);
  const isPlan = dryRun === true;
  const [model] = stress.perturbModel === undefined ? [] : await openParaphraseModel(stress.perturbModel, config);
  const paraphraser = model === undefined ? null : new Paraphraser(model);
  try {
    let written = 0;
    const frozen = await freezePerturbations({
      file,
      kinds,
      examples,
      seed,
      isPlan,
      paraphraser,
      onParaphrase: (done) => {
        written = done;
      },
    });
    if (!isPlan) printNote(`Perturbations: ${file}`);
    if (written > 0 && !isPlan && paraphraser !== null)
      printNote(
        `${formatPlural(written, "paraphrase")} by ${paraphraser.model} cost ${formatDollars(paraphraser.costUsd)}, which is not part of the run's cost`,
      );
    return frozen;
  } finally {
    if (model !== undefined) await closeResources([model]);
  }
}

/** With the names of datasets, as the runner sees them. */
function listExamples(dataset: Dataset | ExampleSource): Example[] {
  if (!("examples" in dataset))
    throw new UsageError(
      `Perturbations need datasets whose examples can be listed. Give a file or a name, such as --dataset questions.jsonl, instead of a stream of the config.`,
    );
  return dataset.examples.map((example) => ({ ...example, dataset: example.dataset ?? dataset.name }));
}

function nameDatasets(datasets: readonly (Dataset | ExampleSource)[]): string {
  const names = datasets.map((dataset) => ("examples" in dataset ? dataset.name : ""));
  return (
    names
      .join("+")
      .replace(/[^\w.+-]+/g, "-")
      .slice(0, 60) || "examples"
  );
}

/** The settings of the measured models are not for the one that paraphrases. */
function openParaphraseModel(name: string, { modelsFile, allowInsecure, dryRun, simulated }: RunFlags) {
  const shared = { modelsFile, allowInsecure, dryRun, simulated };
  const given = Object.fromEntries(Object.entries(shared).filter(([, value]) => value !== undefined));
  return openModelSystems({ ...given, models: [{ model: name }] });
}
