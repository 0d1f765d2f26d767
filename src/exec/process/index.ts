export { findProgram } from "./find-program.js";
export { isGroupRunning } from "./process-table.js";
export {
  type BoxedStart,
  OPEN_INPUT,
  type PipedProgram,
  type ProgramBox,
  type ProgramEnd,
  type ProgramOptions,
  type ProgramStart,
  type RunningProgram,
  type StartOptions,
  type StopReport,
  startAttached,
  startProgram,
} from "./program.js";
export { type CommandOptions, type CommandResult, OutputBuffer, runCommand } from "./run-command.js";
