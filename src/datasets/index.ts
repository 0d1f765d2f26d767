export { FILE_EXTENSIONS } from "./formats.js";
export { readJsonl } from "./jsonl.js";
export { loadFile } from "./load-file.js";
export { generateNeedles, type NeedleExample, type NeedleOptions, needle } from "./needle.js";
export { isBadRow } from "./source-row.js";
