import type { Dataset, Registry } from "../../core/index.js";
import { AssayError } from "../../core/index.js";
import type { KeyPath } from "../../utils/index.js";
import { type LoadSpecOptions, loadSpec, matchesTags, toDataset } from "../spec/index.js";
import type { EvalSpec } from "../spec/spec.js";
import { ExperimentError, type ExperimentProblem, formatRelativePath, locateProblem } from "./experiment-error.js";
import { type Experiment, readExperimentTree, type Setting, type Variant } from "./load-experiment.js";
import { formatPointer, PointerError, removeAtPointer, setAtPointer } from "./pointer.js";

/** Reads eval files and builds datasets from them. */
export interface SpecReader {
  /** `edit` changes the document before it is checked. */
  load(file: string, edit: (raw: unknown) => unknown): Promise<EvalSpec>;
  dataset(spec: EvalSpec): Promise<Dataset>;
  /** Whether a test case with these tags is selected. */
  isWanted(tags: Readonly<Record<string, string>>, filters: readonly string[]): boolean;
}

export interface SpecReaderOptions {
  /** Environments that eval files refer to by name. */
  environments?: NonNullable<LoadSpecOptions["environments"]>;
  /** The registry that graders are looked up in. */
  registry?: Registry;
  /** The judge model, instead of the one that eval files name. */
  judgeModel?: string | undefined;
}

/** Creates the reader that all commands use. */
export function createSpecReader({ environments, registry, judgeModel }: SpecReaderOptions = {}): SpecReader {
  const shared = {
    ...(environments === undefined ? {} : { environments }),
    ...(registry === undefined ? {} : { registry }),
    ...(judgeModel === undefined ? {} : { judgeModel }),
  };
  return {
    load: (file, edit) => loadSpec(file, { ...shared, edit }),
    dataset: (spec) => toDataset(spec, registry),
    isWanted: matchesTags,
  };
}

/** An eval file as a variant changes it. */
export interface VariantSpec {
  readonly file: string;
  /** The document with the settings of the variant applied. */
  readonly raw: unknown;
  readonly spec: EvalSpec;
}

/** The eval files of a variant, in the order of the experiment's. */
export interface VariantSpecs {
  readonly variant: Variant;
  readonly specs: readonly VariantSpec[];
}

/** Errors name the variant that they come from. */
export async function readVariantSpecs(experiment: Experiment, reader: SpecReader): Promise<VariantSpecs[]> {
  const read: VariantSpecs[] = [];
  for (const variant of experiment.variants) {
    const specs: VariantSpec[] = [];
    for (const file of variant.evals ?? experiment.evals)
      specs.push(await readVariantSpec({ file: formatRelativePath(file), variant, experiment, reader }));
    read.push({ variant, specs });
  }
  return read;
}

interface VariantSpecRequest {
  readonly file: string;
  readonly variant: Variant;
  readonly experiment: Experiment;
  readonly reader: SpecReader;
}

async function readVariantSpec({ file, variant, experiment, reader }: VariantSpecRequest): Promise<VariantSpec> {
  let raw: unknown;
  try {
    const spec = await reader.load(file, (document) => {
      raw = variant.settings.reduce(applySetting, document);
      return raw;
    });
    return { file, raw, spec };
  } catch (error) {
    throw await toVariantError(error, variant, experiment);
  }
}

/** A setting that cannot be applied. */
class SettingError extends Error {
  readonly setting: Setting;

  constructor(setting: Setting, why: PointerError) {
    super(`${formatPointer(setting.path)} ${why.message}`, { cause: why });
    this.setting = setting;
  }
}

function applySetting(document: unknown, setting: Setting): unknown {
  try {
    const { path, value } = setting;
    return value === null ? removeAtPointer(document, path) : setAtPointer(document, path, value);
  } catch (error) {
    throw error instanceof PointerError ? new SettingError(setting, error) : error;
  }
}

async function toVariantError(error: unknown, variant: Variant, experiment: Experiment): Promise<unknown> {
  if (error instanceof SettingError)
    return createExperimentError(
      experiment,
      [
        {
          path: getVariantPath(variant, error.setting),
          isAtKey: true,
          text: `variant "${variant.name}": ${error.message}.`,
        },
      ],
      error,
    );
  if (!(error instanceof AssayError)) return error;
  const text = `variant "${variant.name}" is not a valid eval:\n  ${error.message.replaceAll("\n", "\n  ")}`;
  return createExperimentError(experiment, [{ path: getVariantPath(variant), isAtKey: true, text }], error);
}

/** The path of a variant, or of one of its settings, in the experiment file. */
export function getVariantPath({ name, isCombination }: Variant, setting?: Setting): KeyPath {
  const own = setting === undefined ? [] : [formatPointer(setting.path)];
  return isCombination ? ["matrix", ...own] : ["variants", name, ...own];
}

/** Locates problems in an experiment file that was read before. */
export async function createExperimentError(
  { file }: Pick<Experiment, "file">,
  problems: readonly ExperimentProblem[],
  cause?: unknown,
): Promise<ExperimentError> {
  const tree = await readExperimentTree(file);
  return new ExperimentError(
    file,
    problems.map((problem) => locateProblem(tree, problem)),
    cause === undefined ? {} : { cause },
  );
}
