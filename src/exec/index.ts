/** Runs programs: processes, workspaces, sandbox, worker threads. */
export {
  type BoxOptions,
  type BoxSettings,
  resolveBoxSettings,
} from "./box/box-settings.js";
export { findBoxSupport } from "./box/box-support.js";
export { listPackagePaths, listScriptPaths } from "./box/program-paths.js";
export type { BoxRecord, TrialBox } from "./box/trial-box.js";
export { findEngineSupport, requireEngine } from "./container/engine.js";
export { openTrialBox, requireImageIsolation } from "./container/open-trial-box.js";
export { type CommandOptions, fingerprintCommand, openCommandPool } from "./lines/command.js";
export type { JsonFields, LineReply, LineRequest } from "./lines/line-process.js";
export { ProgramError } from "./lines/program-error.js";
export { ProgramPool } from "./lines/program-pool.js";
export {
  deriveCommandName,
  ENV_ASSIGNMENT,
  isFilePath,
  resolveCommandPaths,
  splitCommand,
} from "./process/command-words.js";
export { describeNotExecutable, findProgram, isMissingExecuteBit } from "./process/find-program.js";
export { type ProgramBox, type ProgramEnd, RunningProgram, startAttached, startProgram } from "./process/program.js";
export { type CommandResult, runCommand } from "./process/run-command.js";
export { buildTextArgs, LANGUAGES, type Language } from "./sandbox/interpreters.js";
export { describeIsolation, type Isolation } from "./sandbox/isolation.js";
export type { SandboxLimits } from "./sandbox/limits.js";
export { parseLineList } from "./sandbox/line-channel.js";
export {
  openSandbox,
  type Program,
  type ProgramResult,
  type RunOptions,
  Sandbox,
  type SandboxOptions,
  type SandboxProcessOptions,
} from "./sandbox/sandbox.js";
export { SandboxedProcess, type SandboxedProcessEnd } from "./sandbox/sandboxed-process.js";
export { NOT_UTF8, parseSkillFile, readSkill, type SkillFile } from "./skills/read-skill.js";
export type { TaskReply, TaskRequest, ThreadTask } from "./threads/protocol.js";
export { runInThread, ThreadTaskError, TimeLimitError } from "./threads/worker-pool.js";
export { Baseline } from "./workspace/baseline.js";
export { collectChanges } from "./workspace/changes.js";
export { formatDiff, formatHunks } from "./workspace/diff.js";
export { checkEnvironment, ENVIRONMENT_KEYS } from "./workspace/environment-check.js";
export { EnvironmentReader } from "./workspace/environment-reader.js";
export { copyFolder, removeFolder, TrialFolder } from "./workspace/folder.js";
export { isGitProblemOnly, writeGitIdentity } from "./workspace/git.js";
export { findRelativePathProblem, isWithin } from "./workspace/relative-path.js";
export { buildScrubbedEnv } from "./workspace/scrubbed-env.js";
export {
  createLiveState,
  findBoxSettings,
  findLiveBox,
  getWorkspaceState,
  takeSnapshot,
} from "./workspace/snapshot.js";
export { type FolderWatch, watchFolder } from "./workspace/watch-folder.js";
export { rebuildWorkspace, Workspace } from "./workspace/workspace.js";
export { listOfferedSkills, toSkillFiles, writeSkills } from "./workspace/write-skills.js";
