import { AssayError } from "../../core/index.js";

/** A prompt cannot be read, or an example lacks a column that it inserts. */
export class PromptError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("PROMPT", message, options);
  }
}
