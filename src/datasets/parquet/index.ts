export { joinTables } from "./join-tables.js";
export { openParquet } from "./parquet-file.js";
export type { ParquetTable } from "./table.js";
