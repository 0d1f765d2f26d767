export { csvText } from "./csv.js";
export { QueryStopped } from "./database.js";
export { csvPieces, writeParquet } from "./export-trials.js";
export type { JsonValue } from "./json-values.js";
export {
  type Answer,
  type QueryColumn,
  type QueryOptions,
  type QueryResult,
  type QueryRow,
  queryRuns,
  withAnswer,
} from "./query.js";
export { VIEWS } from "./schema.js";
export { schemaText } from "./schema-text.js";
export { type Pieces, writeAside, writePieces } from "./write-pieces.js";
