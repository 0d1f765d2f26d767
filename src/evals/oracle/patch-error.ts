import { AssayError } from "../../core/errors.js";

/** A golden patch that does not apply to the folder it was made for. */
export class PatchError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("PATCH", message, options);
  }
}
