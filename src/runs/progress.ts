import { messageOf } from "../core/errors.js";
import type { EvaluateOptions } from "./options.js";

/** Tells the caller how far a run is. A callback that throws is not called again, and costs a note instead of the run. */
export function progressTo(
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
      notes.push(`onProgress failed and was not called again: ${messageOf(error)}`);
    }
  };
}
