import type { Dataset } from "../../core/dataset.js";
import type { Registry } from "../../core/registry.js";
import { datasetOf, type LoadSpecOptions, loadSpec, matchesTags } from "../spec/index.js";
import type { EvalSpec } from "../spec/spec.js";

/** Reads eval files and makes datasets of them. */
export interface SpecReader {
  /** `edit` changes the document before it is checked. */
  load(file: string, edit: (raw: unknown) => unknown): Promise<EvalSpec>;
  dataset(spec: EvalSpec): Promise<Dataset>;
  /** Whether a stimulus with these tags is wanted. */
  isWanted(tags: Readonly<Record<string, string>>, filters: readonly string[]): boolean;
}

export interface SpecReaderOptions {
  /** Environments that eval files share by name. */
  environments?: NonNullable<LoadSpecOptions["environments"]>;
  /** Where graders are looked for. */
  registry?: Registry;
  /** The model of judges, instead of those that eval files name. */
  judgeModel?: string | undefined;
}

/** The reader of eval files as every other command reads them. */
export function specReader({ environments, registry, judgeModel }: SpecReaderOptions = {}): SpecReader {
  const shared = {
    ...(environments === undefined ? {} : { environments }),
    ...(registry === undefined ? {} : { registry }),
    ...(judgeModel === undefined ? {} : { judgeModel }),
  };
  return {
    load: (file, edit) => loadSpec(file, { ...shared, edit }),
    dataset: (spec) => datasetOf(spec, registry),
    isWanted: matchesTags,
  };
}
