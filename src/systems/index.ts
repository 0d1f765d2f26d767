export * from "./compressors/index.js";
export { type FunctionResult, FunctionSystem, type FunctionSystemOptions } from "./function-system.js";
export { ModelSystem } from "./model.js";
export type { ModelOptions, ModelQuestion } from "./model-options.js";
export type { ReplayCoverage } from "./recordings.js";
export type { ReplayRecord } from "./replay-record.js";
export { type ReplayOptions, ReplaySystem } from "./replay-system.js";
