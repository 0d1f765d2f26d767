import type { AgentEnd } from "../adapter.js";
import { statusIn } from "../error-status.js";

type Stop = Extract<AgentEnd, { kind: "stopped" }>["reason"];

/** The stream has no codes for these: the words of the program are all there is. */
const STOPS: readonly (readonly [RegExp, Stop])[] = [
  [/session turns|loop detected|exceeded the token limit/i, "truncated"],
  [/response was blocked/i, "refused"],
];

/** How a run ended, by the status of its last event and the error it told of last. A limit of its own may be a success. */
export function endOf(status: string, message: string | null): AgentEnd {
  const reason = STOPS.find(([words]) => words.test(message ?? ""))?.[1];
  if (reason !== undefined) return { kind: "stopped", reason, message: message ?? "" };
  if (status === "success") return { kind: "done" };
  const text = message ?? `The program ended with the status "${status}" and gave no reason.`;
  return { kind: "failed", message: text, status: statusIn(text) };
}
