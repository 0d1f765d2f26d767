import { tokensOf } from "../budget/gateway/figures.js";
import type { GatewayRequest } from "../budget/gateway/index.js";
import type { Output, Usage } from "../core/system.js";
import type { AgentEvent } from "../core/trajectory.js";
import { firstTextAt, firstWriteAt, turnsOf } from "../core/trajectory-figures.js";
import type { AgentFigures } from "./adapter.js";

/** A difference between two meters that is worth a word. */
const NOTABLE = 0.01;

interface SpeedFacts {
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** When something in the workspace first changed; null when nothing was seen to. */
  readonly firstChangeAt: number | null;
  /** False for a program that prints text, in which no turns can be told apart. */
  readonly tellsTurns: boolean;
}

/** How fast an agent was. What was not measured is left out. */
export function speedOf(
  events: readonly AgentEvent[],
  requests: readonly GatewayRequest[],
  { startedAt, firstChangeAt, tellsTurns }: SpeedFacts,
): Pick<Output, "turns" | "ttftMs" | "firstAttemptMs" | "tokensPerSec"> {
  const answered = requests.filter(({ usage }) => usage !== null);
  // Many agents write files with their shell: then the first change in the folder is what tells.
  const attemptAt = firstWriteAt(events) ?? firstChangeAt ?? firstTextAt(events);
  // What prints no events is still known to have asked a model so many times.
  const turns = (tellsTurns ? turnsOf(events) : null) ?? (answered.length > 0 ? answered.length : null);
  const ttftMs = answered[0]?.ttftMs ?? null;
  const pace = tokensPerSec(answered);
  return {
    ...(turns !== null && { turns }),
    ...(ttftMs !== null && { ttftMs }),
    ...(attemptAt !== null && { firstAttemptMs: Math.max(0, attemptAt - startedAt) }),
    ...(pace !== null && { tokensPerSec: pace }),
  };
}

/** Over the time that models were writing, so that neither tools nor waiting count. An answer in one piece says nothing of it. */
function tokensPerSec(requests: readonly GatewayRequest[]): number | null {
  let tokens = 0;
  let ms = 0;
  for (const { usage, generationMs } of requests) {
    if (generationMs === null) continue;
    tokens += usage?.output ?? 0;
    ms += generationMs;
  }
  return tokens > 0 && ms > 0 ? tokens / (ms / 1000) : null;
}

/** What the program says it has used, where that differs from what the gateway has counted; null when they agree. */
export function disagreement(own: AgentFigures, metered: { usage: Usage; costUsd: number | null }): string | null {
  const differences: string[] = [];
  if (own.usage !== null) {
    const [said, counted] = [tokensOf(own.usage), tokensOf(metered.usage)];
    if (differ(said, counted)) differences.push(`${said} tokens, the gateway counted ${counted}`);
  }
  if (own.costUsd !== null && metered.costUsd !== null && differ(own.costUsd, metered.costUsd))
    differences.push(`$${shown(own.costUsd)}, the gateway counted $${shown(metered.costUsd)}`);
  return differences.length === 0 ? null : `the program itself reports ${differences.join("; and ")}`;
}

function differ(said: number, counted: number): boolean {
  return Math.abs(said - counted) > NOTABLE * Math.max(said, counted);
}

function shown(dollars: number): string {
  return String(Number(dollars.toPrecision(4)));
}
