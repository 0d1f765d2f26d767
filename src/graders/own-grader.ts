import { messageOf } from "../core/errors.js";
import type { Graded, Grader, Verdict } from "../core/grader.js";

/**
 * What a grader does with the folder: nothing, read its changes, read its files, or run programs in it, which leave files
 * behind. Graders that read run first, so that none sees what another one left.
 */
export type FolderUse = "none" | "diff" | "looks" | "runs";

/** A built-in grader, which also declares how it uses the folder. */
export interface OwnGrader extends Grader {
  readonly folderUse: FolderUse;
}

/** A custom grader may run programs. */
export function folderUseOf(grader: Grader): FolderUse {
  return (grader as Partial<OwnGrader>).folderUse ?? "runs";
}

export function mostUseOf(graders: readonly Grader[]): FolderUse {
  const uses = graders.map(folderUseOf);
  return (["runs", "looks", "diff"] as const).find((use) => uses.includes(use)) ?? "none";
}

export interface GraderParts {
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
export function ownGrader({ kind = "code", grade, ...parts }: GraderParts): OwnGrader {
  const seesWorkspaceOnly = parts.seesWorkspaceOnly ?? parts.folderUse !== "none";
  return { ...parts, kind, seesWorkspaceOnly, grade: (graded) => verdictOf(grade, graded) };
}

/** Turns an exception into a verdict with status "error". An abort is rethrown: it says nothing about the trial. */
export async function verdictOf(
  grade: (graded: Graded) => Verdict | Promise<Verdict>,
  graded: Graded,
): Promise<Verdict> {
  try {
    return await grade(graded);
  } catch (error) {
    graded.signal.throwIfAborted();
    return cannotTell(messageOf(error));
  }
}

export function verdict(passed: boolean, evidence: string): Verdict {
  return { passed, evidence };
}

/** The verdict of a grader that could not do its work. */
export function cannotTell(why: string): Verdict {
  return { passed: false, score: 0, evidence: why, status: "error" };
}
