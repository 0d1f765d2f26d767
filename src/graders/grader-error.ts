import { AssayError } from "../core/index.js";

/** A grader of an example that cannot be made, or that cannot give a verdict. */
export class GraderError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("GRADER", message, options);
  }
}

/** A grader names a type that does not exist. */
export class UnknownGraderTypeError extends GraderError {
  readonly type: string;
  /** A question about the type that was probably meant, with a leading space; empty if there is none. */
  readonly suggestion: string;

  constructor(type: string, suggestion: string) {
    super(`Unknown grader type "${type}".${suggestion}`);
    this.type = type;
    this.suggestion = suggestion;
  }
}
