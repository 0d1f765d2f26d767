export { readCsv } from "./csv.js";
export { readJson } from "./json.js";
export { readJsonl } from "./jsonl.js";
export { FILE_EXTENSIONS, loadFile } from "./load-file.js";
export { generateNeedles, type NeedleExample, type NeedleOptions, needle } from "./needle.js";
export { sampleIndices, takeSample } from "./sample.js";
export { type BadRow, isBadRow, type RawRow, type RowReader, type SourceRow } from "./source-row.js";
export { type Conversion, type ToExampleOptions, toExample } from "./to-example.js";
