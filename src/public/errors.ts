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
} from "../core/errors.js";
export { HubError } from "../datasets/hub/errors.js";
