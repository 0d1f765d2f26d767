import type { AgentEnd } from "../adapter.js";
import { statusIn } from "../error-status.js";

/** How the model's last answer ended, as the program tells it. */
export interface LastAnswer {
  readonly stopReason: string;
  /** Empty when there is none. */
  readonly error: string;
}

export const NO_ANSWER: LastAnswer = { stopReason: "", error: "" };

const REFUSED = /content_filter|refus|safety|PROHIBITED_CONTENT|RECITATION/i;

/** How a run ended, by the last answer: the program itself ends in the same way whatever happened. */
export function endOf({ stopReason, error }: LastAnswer): AgentEnd {
  switch (stopReason) {
    case "error":
      return endOfError(error);
    case "length":
      return { kind: "stopped", reason: "truncated", message: "The model's answer reached its longest length." };
    case "aborted":
      return { kind: "failed", message: error || "The run was aborted.", status: null };
    case "":
      return { kind: "failed", message: "The run ended without an answer of the model.", status: null };
    default:
      return { kind: "done" };
  }
}

function endOfError(error: string): AgentEnd {
  if (REFUSED.test(error)) return { kind: "stopped", reason: "refused", message: error };
  return { kind: "failed", message: error || "The model's answer ended with an error.", status: statusIn(error) };
}
