/** Error classes, for programs that handle causes differently. Further ones are exported with their subject. */
export {
  BudgetError,
  DatasetError,
  getErrorMessage,
  JournalError,
  ModuleError,
  NothingToRunError,
  QueueError,
  RegistryError,
  ReporterError,
  RunFolderError,
  SandboxError,
  ScoreFieldError,
  ShapeError,
  StalledError,
  UsageError,
} from "../core/index.js";
export { HubError } from "../datasets/index.js";
