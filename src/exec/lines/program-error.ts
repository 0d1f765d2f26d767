import { AssayError, EXIT } from "../../core/index.js";

/** What can go wrong with a program that answers in JSON lines. The codes are stable. */
export type ProgramProblem =
  | "PROGRAM_NOT_FOUND"
  | "PROGRAM_NOT_STARTED"
  | "PROGRAM_EXITED"
  | "PROGRAM_NOT_JSON"
  | "PROGRAM_NOT_UTF8"
  | "PROGRAM_LINE_TOO_LONG"
  | "PROGRAM_NO_ID"
  | "PROGRAM_UNKNOWN_ID"
  | "PROGRAM_ANSWERED_TWICE"
  | "PROGRAM_WRONG_ANSWER"
  | "PROGRAM_REPORTED_ERROR"
  | "PROGRAM_TIMEOUT";

/** A program did not start, or did not answer as agreed. */
export class ProgramError extends AssayError {
  declare readonly code: ProgramProblem;
  /** What it printed on stderr during the request. */
  readonly stderr: string;

  constructor(
    code: ProgramProblem,
    message: string,
    { stderr = "", cause }: { stderr?: string; cause?: unknown } = {},
  ) {
    super(code, message, { cause, exitCode: EXIT.infrastructure });
    this.stderr = stderr;
  }
}

/** The program ended normally without reading a request, so another process may get it. */
export class UnreadRequest extends Error {
  readonly error: ProgramError;

  constructor(error: ProgramError) {
    super(error.message);
    this.error = error;
  }
}

const MAX_EXCERPT_CHARS = 200;

/** A short piece of what a program printed, on one line. */
export function quoteExcerpt(text: string): string {
  const short = text.length > MAX_EXCERPT_CHARS ? `${text.slice(0, MAX_EXCERPT_CHARS)}…` : text;
  return JSON.stringify(short);
}

const MAX_STDERR_LINES = 3;

/** The last lines of stderr as the end of a message: interpreters print the reason there. */
export function describeStderr(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return " It printed nothing on stderr.";
  return ` stderr ends with: ${quoteExcerpt(lines.slice(-MAX_STDERR_LINES).join("\n").slice(-MAX_EXCERPT_CHARS))}`;
}
