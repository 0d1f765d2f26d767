import type { Dataset } from "../../core/dataset.js";
import type { Registry } from "../../core/registry.js";
import { datasetOf, type LoadSpecOptions, loadSpec, matchesTags } from "../spec/index.js";
import type { EvalSpec } from "../spec/spec.js";

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
    dataset: (spec) => datasetOf(spec, registry),
    isWanted: matchesTags,
  };
}
