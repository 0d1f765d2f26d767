export { joinTables } from "./join-tables.js";
export { openParquet } from "./parquet-file.js";
export type { DrawnRows, ParquetTable, TableSample } from "./table.js";
