import type { TaskName } from "../../../../src/metrics/compare/index.js";

/** A task as one word of an address. */
export function formatTaskParameter({ dataset, exampleId }: TaskName): string {
  return JSON.stringify([dataset, exampleId]);
}

/** The task that `formatTaskParameter` wrote; null when it is none. */
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

/** What an id that was typed may mean: `7` is a number or a text. */
export function listPossibleIds(text: string): (string | number)[] {
  return /^-?\d{1,15}$/.test(text) && String(Number(text)) === text ? [Number(text), text] : [text];
}
