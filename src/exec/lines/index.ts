export { type CommandOptions, fingerprintCommand, openCommandPool } from "./command.js";
export type { JsonFields, LineReply, LineRequest } from "./line-process.js";
export { ProgramError, type ProgramProblem } from "./program-error.js";
export { type CallOptions, DEFAULT_CALL_TIMEOUT_MS, ProgramPool, type ProgramPoolOptions } from "./program-pool.js";
