export { csvText } from "./csv.js";
export { csvPieces, writeParquet } from "./export-trials.js";
export type { JsonValue } from "./json-values.js";
export {
  type Answer,
  type QueryColumn,
  type QueryOptions,
  type QueryResult,
  type QueryRow,
  withAnswer,
} from "./query.js";
export { QueryStopped } from "./query-stopped.js";
export { schemaText, VIEWS } from "./schema.js";

export { type Pieces, writeAside, writePieces } from "./write-pieces.js";
