import type { Graded, Grader, Verdict } from "../core/index.js";
import { getErrorMessage } from "../core/index.js";

/**
 * What a grader does with the folder: nothing, read its changes, read its files, or run programs in it, which leave files
 * behind. Graders that read run first, so that none sees what another one left.
 */
export type FolderUse = "none" | "diff" | "looks" | "runs";

/** A built-in grader, which also declares how it uses the folder. */
export interface BuiltInGrader extends Grader {
  readonly folderUse: FolderUse;
}

/** A custom grader may run programs. */
export function getFolderUse(grader: Grader): FolderUse {
  return (grader as Partial<BuiltInGrader>).folderUse ?? "runs";
}

export function findMaxFolderUse(graders: readonly Grader[]): FolderUse {
  const uses = graders.map(getFolderUse);
  return (["runs", "looks", "diff"] as const).find((use) => uses.includes(use)) ?? "none";
}

interface BuiltInGraderOptions {
  readonly name: string;
  readonly folderUse: FolderUse;
  /** Whether it looks at nothing but the workspace. Default: true if it uses the folder. */
  readonly seesWorkspaceOnly?: boolean;
  readonly kind?: "code" | "llm";
  readonly grade: (graded: Graded) => Verdict | Promise<Verdict>;
  readonly prepare?: () => void | Promise<void>;
  readonly close?: () => Promise<void>;
}

/** Makes a grader that never throws: an error becomes a verdict with status "error". */
export function makeBuiltInGrader({ kind = "code", grade, ...parts }: BuiltInGraderOptions): BuiltInGrader {
  const seesWorkspaceOnly = parts.seesWorkspaceOnly ?? parts.folderUse !== "none";
  return { ...parts, kind, seesWorkspaceOnly, grade: (graded) => tryGrade(grade, graded) };
}

/** Turns an exception into a verdict with status "error". An abort is rethrown: it says nothing about the trial. */
export async function tryGrade(
  grade: (graded: Graded) => Verdict | Promise<Verdict>,
  graded: Graded,
): Promise<Verdict> {
  try {
    return await grade(graded);
  } catch (error) {
    graded.signal.throwIfAborted();
    return makeErrorVerdict(getErrorMessage(error));
  }
}

export function makeVerdict(passed: boolean, evidence: string): Verdict {
  return { passed, evidence };
}

/** The verdict of a grader that could not do its work. */
export function makeErrorVerdict(why: string): Verdict {
  return { passed: false, score: 0, evidence: why, status: "error" };
}

const MAX_QUOTE_LENGTH = 200;
const MAX_TAIL_LINES = 12;
const MAX_TAIL_LENGTH = 1500;

/** Quotes a text for evidence: shortened, and on one line. */
export function quoteExcerpt(text: string): string {
  return JSON.stringify(text.length <= MAX_QUOTE_LENGTH ? text : `${text.slice(0, MAX_QUOTE_LENGTH)}…`);
}

/** Takes the last lines of a program's output. */
export function takeLastLines(text: string): string {
  const lines = text.trimEnd().split("\n");
  const kept = lines.slice(-MAX_TAIL_LINES).join("\n");
  const isCut = lines.length > MAX_TAIL_LINES || kept.length > MAX_TAIL_LENGTH;
  return `${isCut ? "…" : ""}${kept.slice(-MAX_TAIL_LENGTH)}`;
}

/** Formats a list for evidence: the first few items, and how many more there are. */
export function formatList(items: readonly string[], most = 5): string {
  const more = items.length - most;
  return `${items.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

export interface Bounds {
  min?: number | undefined;
  max?: number | undefined;
}

/**
 * Scores a value against bounds: 1 inside them; above the maximum less in proportion to the excess; below the minimum the
 * share of it that is reached.
 * @example
 * scoreWithin(15, { max: 10 }); // 0.5
 */
export function scoreWithin(value: number, { min = 0, max = Infinity }: Bounds): number {
  if (value > max) return Math.max(0, 1 - (value - max) / Math.max(max, 1));
  return value < min ? value / min : 1;
}
