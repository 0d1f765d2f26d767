import { AssayError, EXIT } from "../../core/errors.js";

/** A folder for an agent that could not be made, read, put away or made again. It says nothing about the agent. */
export class WorkspaceError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("WORKSPACE", message, { ...options, exitCode: EXIT.infrastructure });
  }
}
