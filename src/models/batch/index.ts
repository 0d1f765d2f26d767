export { BATCHES_SCHEMA, type BatchEntry, type BatchLog } from "./batch-log.js";
export { Batches, type BatchesOptions } from "./batches.js";
