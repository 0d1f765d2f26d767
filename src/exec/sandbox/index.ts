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
