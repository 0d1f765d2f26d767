export { joinTables } from "./join-tables.js";
export { openParquet } from "./parquet-file.js";
export type { Region, RegionPart } from "./regions.js";
export type { ParquetTable, RowPlace, SampleOptions, TableRow, TableSample } from "./table.js";
