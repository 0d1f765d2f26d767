import type { Example } from "../core/example.js";

/** What an agent is told: the context, the turns so far, and what is asked. */
export function promptOf({ context = "", turns = [], question = "" }: Example): string {
  const conversation = turns.length === 1 ? (turns[0]?.content ?? "") : turns.map(spoken).join("\n\n");
  return [context, conversation, question].filter((part) => part !== "").join("\n\n");
}

function spoken({ role, content }: { role: string; content: string }): string {
  return `${role}: ${content}`;
}
