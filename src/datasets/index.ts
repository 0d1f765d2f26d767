export { FILE_EXTENSIONS } from "./formats.js";
export { readJsonl } from "./json.js";
export { type LoadFilesOptions, loadFile, loadFiles } from "./load-file.js";
export type { NamedFiles } from "./named-files.js";
export { isBadRow } from "./source-row.js";
