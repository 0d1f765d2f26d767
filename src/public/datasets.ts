/** The catalog of public datasets and the generator of needle examples. */
import "../index.js";

export type {
  CatalogEntry,
  Configs,
  ExampleFields,
  HubSource,
  LineColumns,
  RowContext,
} from "../datasets/index.js";
export {
  catalog,
  FILE_EXTENSIONS,
  generateNeedles,
  type NeedleExample,
  type NeedleOptions,
} from "../datasets/index.js";
