import type { Place } from "../../utils/files/yaml-tree.js";

/** An error keeps a file from doing what it is for; a warning says that it may do something else than was meant. */
type Severity = "error" | "warning";

/** One thing that is looked for. */
export interface LintRule {
  readonly severity: Severity;
  /** What is wrong, in one sentence. */
  readonly about: string;
  /** What to do about it. */
  readonly fix: string;
}

/** Something that was found in a file; its place counts from 1. */
export interface Finding extends Place {
  /** Stable, to disable it by. */
  readonly code: string;
  readonly severity: Severity;
  readonly file: string;
  readonly message: string;
  readonly fix: string;
}

/** A finding before it is known which file it stands in, and how severe it is. */
export interface Remark<Code extends string = string> extends Place {
  readonly code: Code;
  readonly message: string;
  /** Where the rule's own is too general. */
  readonly fix?: string;
  /** Where it is not the file that was looked at, but one that belongs to it. */
  readonly file?: string;
}
