/** The catalog of public datasets and the generator of needle examples. */
import "../index.js";

export { catalog } from "../datasets/catalog/catalog.js";
export type {
  CatalogEntry,
  Configs,
  ExampleFields,
  HubSource,
  LineColumns,
  RowContext,
} from "../datasets/catalog/entry.js";
export { generateNeedles, type NeedleExample, type NeedleOptions } from "../datasets/generate-needles.js";
export { FILE_EXTENSIONS } from "../datasets/index.js";
