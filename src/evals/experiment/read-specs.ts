import { AssayError } from "../../core/errors.js";
import type { KeyPath } from "../../utils/files/yaml-tree.js";
import type { EvalSpec } from "../spec/spec.js";
import type { Experiment, Setting, Variant } from "./experiment.js";
import { ExperimentError, type Problem, placed } from "./experiment-error.js";
import { fromHere } from "./from-here.js";
import { treeOf } from "./load-experiment.js";
import { formatPointer, PointerError, withoutValue, withValue } from "./pointer.js";
import type { SpecReader } from "./spec-reader.js";

/** An eval file as a variant changes it. */
export interface ReadSpec {
  readonly file: string;
  /** The document with the settings of the variant applied. */
  readonly raw: unknown;
  readonly spec: EvalSpec;
}

/** The eval files of a variant, in the order of the experiment's. */
export interface ReadVariant {
  readonly variant: Variant;
  readonly specs: readonly ReadSpec[];
}

/** Errors name the variant that they come from. */
export async function readSpecs(experiment: Experiment, reader: SpecReader): Promise<ReadVariant[]> {
  const read: ReadVariant[] = [];
  for (const variant of experiment.variants) {
    const specs: ReadSpec[] = [];
    for (const file of variant.evals ?? experiment.evals)
      specs.push(await readSpec({ file: fromHere(file), variant, experiment, reader }));
    read.push({ variant, specs });
  }
  return read;
}

interface Wanted {
  readonly file: string;
  readonly variant: Variant;
  readonly experiment: Experiment;
  readonly reader: SpecReader;
}

async function readSpec({ file, variant, experiment, reader }: Wanted): Promise<ReadSpec> {
  let raw: unknown;
  try {
    const spec = await reader.load(file, (document) => {
      raw = variant.settings.reduce(withSetting, document);
      return raw;
    });
    return { file, raw, spec };
  } catch (error) {
    throw await aboutVariant(error, variant, experiment);
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

function withSetting(document: unknown, setting: Setting): unknown {
  try {
    const { path, value } = setting;
    return value === null ? withoutValue(document, path) : withValue(document, path, value);
  } catch (error) {
    throw error instanceof PointerError ? new SettingError(setting, error) : error;
  }
}

async function aboutVariant(error: unknown, variant: Variant, experiment: Experiment): Promise<unknown> {
  if (error instanceof SettingError)
    return experimentError(
      experiment,
      [{ path: placeOf(variant, error.setting), isAtKey: true, text: `variant "${variant.name}": ${error.message}.` }],
      error,
    );
  if (!(error instanceof AssayError)) return error;
  const text = `variant "${variant.name}" is not a valid eval:\n  ${error.message.replaceAll("\n", "\n  ")}`;
  return experimentError(experiment, [{ path: placeOf(variant), isAtKey: true, text }], error);
}

/** The path of a variant, or of one of its settings, in the experiment file. */
export function placeOf({ name, isCombination }: Variant, setting?: Setting): KeyPath {
  const own = setting === undefined ? [] : [formatPointer(setting.path)];
  return isCombination ? ["matrix", ...own] : ["variants", name, ...own];
}

/** Locates problems in an experiment file that was read before. */
export async function experimentError(
  { file }: Pick<Experiment, "file">,
  problems: readonly Problem[],
  cause?: unknown,
): Promise<ExperimentError> {
  const tree = await treeOf(file);
  return new ExperimentError(
    file,
    problems.map((problem) => placed(tree, problem)),
    cause === undefined ? {} : { cause },
  );
}
