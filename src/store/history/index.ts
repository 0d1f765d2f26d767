export { streamCsv } from "./csv.js";
export { streamTrialsCsv, writeTrialsParquet } from "./export-trials.js";
export type { JsonValue } from "./json-values.js";
export {
  type QueryAnswer,
  type QueryColumn,
  type QueryOptions,
  type QueryResult,
  type QueryRow,
  runQuery,
} from "./query.js";
export { QueryStopped } from "./query-stopped.js";
export { formatSchema, VIEWS } from "./schema.js";

export { type TextPieces, writePieces, writeViaTemporary } from "./write-pieces.js";
