import type { DatasetDefinition } from "../../core/dataset.js";
import { CATALOGUE_NAMES, type CatalogueName } from "./names.js";

/** Definitions of the catalog's datasets for the registry; an entry is loaded when it is used. */
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

/** Datasets of conversations with questions about them, for memory systems. */
export const MEMORY_NAMES: readonly string[] = ["locomo", "longmemeval"];
