export { isForeignFile, isSearchedFolder, isSpecName } from "./find-specs.js";
export { type LoadSpecOptions, loadSpec } from "./read-spec.js";
export { toDataset } from "./spec-dataset.js";
export { matchesTags } from "./tags.js";
