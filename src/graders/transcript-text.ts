import type { Output } from "../core/system.js";
import type { AgentEvent } from "../core/trajectory.js";
import { cutMiddle } from "./cut-middle.js";
import { hidesTools, trajectoryOf } from "./trajectory.js";

/** Characters of one step: a tool that prints a whole file must not take the place of all other steps. */
const LONGEST_STEP = 4000;

/**
 * What was said and done in a trial, as a text to read: a paragraph for each step, in order. Throws when the output has no
 * trajectory.
 * @example
 * transcriptText({ trajectory: { events: [{ type: "assistant_message", text: "Done.", timestamp: 0 }] } }); // "[assistant] Done."
 */
export function transcriptText(output: Output): string {
  const steps: Step[] = [];
  for (const event of trajectoryOf(output).events as readonly AgentEvent[]) {
    const step = stepOf(event);
    const last = steps.at(-1);
    if (step === null) continue;
    // Parts of what an agent says follow each other, and are one text.
    if (step.who === "assistant" && last?.who === "assistant") last.text += step.text;
    else steps.push(step);
  }
  if (hidesTools(output)) steps.push({ who: "note", text: "This system does not show which tools it calls." });
  return steps.map(({ who, text }) => `[${who}] ${cutMiddle(text, LONGEST_STEP)}`).join("\n\n");
}

interface Step {
  readonly who: string;
  text: string;
}

const SPEAKERS = { user_message: "user", assistant_message: "assistant", reasoning: "reasoning" } as const;

/** Null for what tells nothing of the work, such as the use of tokens. */
function stepOf(event: AgentEvent): Step | null {
  const { type } = event;
  if (type === "user_message" || type === "assistant_message" || type === "reasoning")
    return { who: SPEAKERS[type], text: event.text };
  if (type === "tool_call") return { who: "tool call", text: `${event.name} ${JSON.stringify(event.arguments) ?? ""}` };
  if (type === "tool_result") return { who: event.success ? "tool result" : "tool result, failed", text: event.result };
  if (type === "skill_activation") return { who: "skill", text: event.name };
  return type === "error" ? { who: "error", text: event.message } : null;
}
