import type { AgentEvent } from "../../core/index.js";

/**
 * Adds to an agent's own events what only its model calls show: usage and the end of each answer, results that it did not
 * report, and the tools of sub-agents. The agent's own events stay as they are, with their names and in their order.
 */
export function mergeWireEvents(own: readonly AgentEvent[], wire: readonly AgentEvent[]): AgentEvent[] {
  const [calls, results] = [listIds(own, "tool_call"), listIds(own, "tool_result")];
  const added = new Set<string>();
  const extra = wire.filter((event) => {
    if (event.type === "token_usage") return true;
    if (event.type === "tool_call" && isSubagent(event) && !calls.has(event.callId)) {
      added.add(event.callId);
      return true;
    }
    if (event.type !== "tool_result" || results.has(event.callId)) return false;
    return added.has(event.callId) || calls.has(event.callId);
  });
  const threads = new Map(wire.flatMap((event) => (event.type === "tool_call" ? [[event.callId, event.thread]] : [])));
  return [...own.map((event) => markThread(event, threads)), ...extra].sort((a, b) => a.timestamp - b.timestamp);
}

function listIds(events: readonly AgentEvent[], type: "tool_call" | "tool_result"): Set<string> {
  return new Set(events.flatMap((event) => (event.type === type ? [event.callId] : [])));
}

function isSubagent({ thread }: AgentEvent): boolean {
  return thread?.startsWith("sub-agent") === true;
}

function markThread(event: AgentEvent, threads: ReadonlyMap<unknown, string | undefined>): AgentEvent {
  if (event.type !== "tool_call" && event.type !== "tool_result") return event;
  const thread = threads.get(event.callId);
  return thread === undefined ? event : { ...event, thread };
}
