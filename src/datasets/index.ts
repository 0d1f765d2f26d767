/** Datasets by name or file: readers, catalog, hub, sampling. */
export { catalog } from "./catalog/catalog.js";
export { createCatalogDefinitions, MEMORY_DATASET_NAMES } from "./catalog/definitions.js";
export type { CatalogEntry, Configs, ExampleFields, HubSource, LineColumns, RowContext } from "./catalog/entry.js";
export { getEntryScoring, readCaution, resolveEntryConfig } from "./catalog/load-entry.js";
export {
  RowProblem,
  readOptionalText,
  requireIntegerValue,
  requireListValue,
  requireText,
  requireTextList,
} from "./catalog/row-fields.js";
export { formatScalar, matchesFilter } from "./columns.js";
export { convertRow } from "./convert-row.js";
export { isDatasetFile, mapSpecPaths, parseDatasetSpec, splitSpecFiles, stripRevision } from "./dataset-spec.js";
export { attachFiles } from "./example-files.js";
export { FILE_EXTENSIONS } from "./formats.js";
export { generateNeedles, type NeedleExample, type NeedleOptions } from "./generate-needles.js";
export { readGzipFile } from "./gunzip.js";
export { harbor } from "./harbor.js";
export { readSolvedHarborTasks } from "./harbor-tasks.js";
export { HubError } from "./hub/errors.js";
export type { HubOptions } from "./hub/hub.js";
export { readJsonl } from "./json.js";
export { type LoadDatasetOptions, loadDataset, loadNamedDataset, type NamedDataset } from "./load-dataset.js";
export { type LoadFilesOptions, loadFile, loadFiles } from "./load-file.js";
export { createFilesDefinition, type NamedFiles } from "./named-files.js";
export { needle } from "./needle.js";
export { createUnreadableError, isGzip, readFirstBytes } from "./read-bytes.js";
export { closeFiles, openRowFile } from "./row-file.js";
export { requireMaxExamples, takeSample } from "./sample.js";
export { isBadRow, isRawRow, type RawRow } from "./source-row.js";
