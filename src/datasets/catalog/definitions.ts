import type { DatasetDefinition } from "../../core/index.js";
import { CATALOG_NAMES, type CatalogName } from "./names.js";

/** Definitions of the catalog's datasets for the registry; an entry is loaded when it is used. */
export function createCatalogDefinitions(): [CatalogName, DatasetDefinition][] {
  return CATALOG_NAMES.map((name) => [name, createDefinition(name)]);
}

function createDefinition(name: CatalogName): DatasetDefinition {
  return {
    hasTemplate: true,
    async load(options) {
      const [{ catalog }, { loadEntry }] = await Promise.all([import("./catalog.js"), import("./load-entry.js")]);
      return loadEntry({ name, entry: catalog[name] }, options);
    },
  };
}

/** Datasets of conversations with questions about them, for memory systems. */
export const MEMORY_DATASET_NAMES: readonly string[] = ["locomo", "longmemeval"];
