import { messageOf } from "../core/errors.js";
import type { Graded, Grader, Verdict } from "../core/grader.js";

/**
 * What a grader does with the folder: nothing; asks what was changed in it; looks at it; or runs programs in it, which
 * leave things behind. Those that look come first, so that no grader sees what another one left.
 */
export type FolderUse = "none" | "diff" | "looks" | "runs";

/** A grader of this package, which says more of itself than others do. */
export interface OwnGrader extends Grader {
  readonly folderUse: FolderUse;
}

/** What is known of the use of a grader; of one that comes from elsewhere, nothing. */
export function folderUseOf(grader: Grader): FolderUse {
  return (grader as Partial<OwnGrader>).folderUse ?? "runs";
}

/** The most that any of the graders does with the folder. */
export function mostUseOf(graders: readonly Grader[]): FolderUse {
  const uses = graders.map(folderUseOf);
  return (["runs", "looks", "diff"] as const).find((use) => uses.includes(use)) ?? "none";
}

/** The parts of a grader of this package. */
export interface GraderParts {
  readonly name: string;
  readonly folderUse: FolderUse;
  /** Whether it looks at the workspace alone; it does when it uses the folder, unless told. */
  readonly seesWorkspaceOnly?: boolean;
  readonly kind?: "code" | "llm";
  readonly grade: (graded: Graded) => Verdict | Promise<Verdict>;
  readonly prepare?: () => void | Promise<void>;
  readonly close?: () => Promise<void>;
}

/** Makes a grader that never throws: what keeps it from telling becomes a verdict in error. */
export function ownGrader({ kind = "code", grade, ...parts }: GraderParts): OwnGrader {
  const seesWorkspaceOnly = parts.seesWorkspaceOnly ?? parts.folderUse !== "none";
  return { ...parts, kind, seesWorkspaceOnly, grade: (graded) => verdictOf(grade, graded) };
}

/** What a grader says; in error when it throws, unless it was told to stop: that says nothing of the work. */
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
