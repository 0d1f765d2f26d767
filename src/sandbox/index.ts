export type { IsolationKind } from "./box.js";
export type { Interpreter, Language } from "./interpreters.js";
export { describeIsolation, type Isolation } from "./isolation.js";
export type { SandboxLimits } from "./limits.js";
export {
  openSandbox,
  type Program,
  type ProgramResult,
  type RunOptions,
  type Sandbox,
  type SandboxOptions,
} from "./sandbox.js";
export { programsPerSecond } from "./speed.js";
