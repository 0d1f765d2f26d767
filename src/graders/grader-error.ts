import { AssayError } from "../core/index.js";

/** A grader of an example that cannot be made, or that cannot give a verdict. */
export class GraderError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("GRADER", message, options);
  }
}
