/** Sandboxes for untrusted programs. */
export {
  describeIsolation,
  type Isolation,
  openSandbox,
  type Program,
  type ProgramResult,
  type RunOptions,
  type Sandbox,
  type SandboxLimits,
  type SandboxOptions,
} from "../exec/index.js";
