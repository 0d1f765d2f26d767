/** Classes of error, for programs that tell one cause from another. Those of one subject are in its entry. */
export {
  BudgetError,
  DatasetError,
  JournalError,
  ModuleError,
  messageOf,
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
