export { readJsonl } from "./jsonl.js";
export { FILE_EXTENSIONS, loadFile } from "./load-file.js";
export { generateNeedles, type NeedleExample, type NeedleOptions, needle } from "./needle.js";
export { isBadRow } from "./source-row.js";
