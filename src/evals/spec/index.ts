export { isForeignYaml, isSearchedFolder } from "./find-specs.js";
export { type LoadSpecOptions, loadSpec } from "./read-spec.js";
export { datasetOf } from "./spec-dataset.js";
export { matchesTags } from "./tags.js";
