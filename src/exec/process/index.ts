export { findProgram } from "./find-program.js";
export { isGroupRunning } from "./process-table.js";
export {
  OPEN_INPUT,
  type PipedProgram,
  type ProgramEnd,
  type ProgramOptions,
  type RunningProgram,
  type StartOptions,
  type StopReport,
  startAttached,
  startProgram,
} from "./program.js";
export { type CommandOptions, type CommandResult, OutputBuffer, runCommand } from "./run-command.js";
