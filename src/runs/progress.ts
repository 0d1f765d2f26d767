import { getErrorMessage } from "../core/errors.js";
import type { EvaluateOptions } from "./options.js";

/** Wraps the progress callback. If it throws, it is not called again, and a note is added instead of failing the run. */
export function createProgressCallback(
  callback: EvaluateOptions["onProgress"],
  notes: string[],
): EvaluateOptions["onProgress"] | null {
  let isBroken = callback === undefined;
  return (progress) => {
    if (isBroken) return;
    try {
      callback?.(progress);
    } catch (error) {
      isBroken = true;
      notes.push(`onProgress failed and was not called again: ${getErrorMessage(error)}`);
    }
  };
}
