export * from "./compressors/index.js";
export { type FunctionResult, FunctionSystem, type FunctionSystemOptions } from "./function-system.js";
export { type ModelOptions, type ModelQuestion, ModelSystem } from "./model.js";

export { type ReplayCoverage, type ReplayOptions, type ReplayRecord, ReplaySystem } from "./replay.js";
