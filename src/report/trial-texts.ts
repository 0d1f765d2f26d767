import type { Output } from "../core/system.js";
import type { TrajectoryEvent } from "../core/trajectory.js";
import { joinedTexts, shown } from "./timeline-text.js";

/** A text of an output under its heading. */
export interface TrialText {
  readonly heading: string;
  readonly text: string;
  readonly maxLines: number;
}

/** Fields that stand elsewhere, or name something instead of saying it. */
const TOLD = new Set([
  "response",
  "replies",
  "trajectory",
  "workspace",
  "stopped",
  "id",
  "dataset",
  "metadata",
  "usage",
]);
const RESPONSE_LINES = 40;
const OTHER_LINES = 12;

/** The texts that a system gave back; the last word of an agent only where its timeline does not have it. */
export function textsOf(output: Output, events: readonly TrajectoryEvent[]): TrialText[] {
  const { response } = output;
  const isTold = typeof response === "string" && joinedTexts(events).some((event) => says(event, response));
  return [...(isTold ? [] : responses(output)), ...otherTexts(output)];
}

function says({ type, text }: TrajectoryEvent, response: string): boolean {
  return type === "assistant_message" && typeof text === "string" && text.trim() === response.trim();
}

/** Each reply of a conversation; the last one is the response. */
function responses({ response, replies }: Output): TrialText[] {
  if (Array.isArray(replies) && replies.length > 1)
    return replies.map((reply, i) => ({
      heading: `Response ${i + 1} of ${replies.length}`,
      text: shown(reply),
      maxLines: RESPONSE_LINES,
    }));
  return typeof response === "string" ? [{ heading: "Response", text: response, maxLines: RESPONSE_LINES }] : [];
}

function otherTexts(output: Output): TrialText[] {
  return Object.entries(output).flatMap(([field, value]) =>
    typeof value === "string" && !TOLD.has(field) ? [{ heading: field, text: value, maxLines: OTHER_LINES }] : [],
  );
}
