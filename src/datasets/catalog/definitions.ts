import type { DatasetDefinition } from "../../core/dataset.js";
import { CATALOGUE_NAMES, type CatalogueName } from "./names.js";

/** The datasets of the catalogue as the registry holds them: what they are is loaded when one of them is. */
export function catalogueDefinitions(): [CatalogueName, DatasetDefinition][] {
  return CATALOGUE_NAMES.map((name) => [name, definitionOf(name)]);
}

function definitionOf(name: CatalogueName): DatasetDefinition {
  return {
    hasTemplate: true,
    async load(options) {
      const [{ catalogue }, { loadEntry }] = await Promise.all([import("./catalogue.js"), import("./load-entry.js")]);
      return loadEntry({ name, entry: catalogue[name] }, options);
    },
  };
}

/** Those that are conversations with questions about them, for memories. */
export const MEMORY_NAMES: readonly string[] = ["locomo", "longmemeval"];
