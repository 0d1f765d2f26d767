import type { FilePosition } from "../../utils/index.js";

/** An error keeps a file from working; a warning means that it may not do what was meant. */
type LintSeverity = "error" | "warning";

/** One lint rule. */
export interface LintRule {
  readonly severity: LintSeverity;
  /** What is wrong, in one sentence. */
  readonly about: string;
  /** How to fix it. */
  readonly fix: string;
}

/** A problem found in a file; line and column start at 1. */
export interface Finding extends FilePosition {
  /** Stable; used to disable the rule. */
  readonly code: string;
  readonly severity: LintSeverity;
  readonly file: string;
  readonly message: string;
  readonly fix: string;
}

/** A finding without its file and severity. */
export interface LintIssue<Code extends string = string> extends FilePosition {
  readonly code: Code;
  readonly message: string;
  /** Replaces the fix of the rule where that is too general. */
  readonly fix?: string;
  /** Set when the problem is in another file of the skill. */
  readonly file?: string;
}
