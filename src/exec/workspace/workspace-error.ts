import { AssayError, EXIT } from "../../core/index.js";

/** A folder for an agent could not be created, read, kept or recreated. Not the agent's fault. */
export class WorkspaceError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("WORKSPACE", message, { ...options, exitCode: EXIT.infrastructure });
  }
}
