import type { TaskName } from "../../../../src/metrics/compare/index.js";

export interface ComparedSides {
  readonly runA: string;
  readonly runB: string;
  readonly systemA: string;
  readonly systemB: string;
}

/** The outcomes of the two trials that show a flip. */
export interface FlipOutcomes {
  readonly a: "pass" | "fail";
  readonly b: "pass" | "fail";
}

export function formatTaskParameter({ dataset, exampleId }: TaskName): string {
  return JSON.stringify([dataset, exampleId]);
}

/** Null when the parameter is invalid. */
export function parseTaskParameter(word: string | undefined): TaskName | null {
  if (word === undefined) return null;
  try {
    const [dataset, exampleId] = JSON.parse(word) as readonly unknown[];
    const isId = typeof exampleId === "string" || typeof exampleId === "number";
    return typeof dataset === "string" && isId ? { dataset, exampleId } : null;
  } catch {
    return null;
  }
}

/** A typed `7` may be a number or text. */
export function listPossibleIds(text: string): (string | number)[] {
  return /^-?\d{1,15}$/.test(text) && String(Number(text)) === text ? [Number(text), text] : [text];
}
