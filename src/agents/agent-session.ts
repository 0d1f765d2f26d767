import type { AgentEvent, Example, Turn, Usage } from "../core/index.js";
import { asksAfterTurns, isOpenTurn } from "../core/index.js";
import type { AgentEnd, AgentFigures, StreamReader } from "./adapter.js";
import type { AgentRun, AgentRunEnd } from "./agent-run.js";

/**
 * Lists the messages that an agent is sent, one after the other: a message ends with each turn of the user that the agent
 * must answer, and contains what was said since the one before. The context comes first.
 * @example
 * listAgentMessages({ id: 1, turns: [{ role: "user", content: "Write a.js" }], question: "Test it" }); // ["Write a.js", "Test it"]
 */
export function listAgentMessages(example: Example): string[] {
  const { context = "", turns = [], question = "" } = example;
  const asked: string[] = [];
  let history: Turn[] = [];
  for (const [at, turn] of turns.entries()) {
    history.push(turn);
    if (!isOpenTurn(turn, turns[at + 1])) continue;
    asked.push(formatConversation(history));
    history = [];
  }
  // A conversation that ends with the assistant and has no question is a task of its own only if nothing else is asked.
  if (asksAfterTurns(example)) asked.push(joinTexts(formatConversation(history), question));
  else if (asked.length === 0) asked.push(formatConversation(history));
  return asked.map((message, at) => (at === 0 ? joinTexts(context, message) : message));
}

function formatConversation(turns: readonly Turn[]): string {
  return turns.length === 1 ? (turns[0]?.content ?? "") : turns.map(formatTurn).join("\n\n");
}

function formatTurn({ role, content }: Turn): string {
  return `${role}: ${content}`;
}

function joinTexts(...texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

/** A message of the user, and the run of the agent's program that answered it. */
export interface AgentExchange {
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly run: AgentRun;
  readonly exit: AgentRunEnd;
}

/** The work of an agent: of one run, or of all runs of a session. */
export type AgentWork = Pick<
  AgentRun,
  "events" | "unkept" | "skills" | "stderr" | "refusedFlag" | "malformed" | "dropped"
> & { readonly reader: Omit<StreamReader, "read" | "sessionId"> };

/** Sees the runs of a session as one: the last one says how it ended, and figures add up. */
export function mergeExchanges(
  first: AgentExchange,
  others: readonly AgentExchange[],
  reportsSession: boolean,
): { readonly run: AgentWork; readonly exit: AgentRunEnd } {
  const all = [first, ...others];
  const last = others.at(-1) ?? first;
  if (last === first) return { run: first.run, exit: first.exit };
  const runs = all.map(({ run }) => run);
  const sum = (count: (exchange: AgentExchange) => number) => all.reduce((total, each) => total + count(each), 0);
  const { end, response } = last.run.reader;
  return {
    run: {
      events: runs.flatMap(({ events }) => events),
      unkept: sum(({ run }) => run.unkept),
      malformed: sum(({ run }) => run.malformed),
      dropped: sum(({ run }) => run.dropped),
      skills: last.run.skills,
      stderr: last.run.stderr,
      refusedFlag: last.run.refusedFlag,
      reader: {
        end,
        response,
        version: last.run.reader.version,
        model: last.run.reader.model,
        figures: combineFigures(
          runs.map(({ reader }) => reader.figures),
          reportsSession,
        ),
        unknown: sumCounts(runs.map(({ reader }) => reader.unknown)),
      },
    },
    exit: {
      ...last.exit,
      leftBehind: sum(({ exit }) => exit.leftBehind),
      survivors: all.flatMap(({ exit }) => exit.survivors),
    },
  };
}

/** The figures of a session: the last ones if they are of the whole session, otherwise the sum. */
export function combineFigures(figures: readonly AgentFigures[], reportsSession: boolean): AgentFigures {
  const told = figures.findLast(({ usage }) => usage !== null);
  const last = figures.at(-1);
  if (!reportsSession || told === undefined || last === undefined) return sumFigures(figures);
  return { ...told, isPartial: last.isPartial || told !== last };
}

/** Figures that a run does not report make the sum incomplete, not unknown. */
function sumFigures(figures: readonly AgentFigures[]): AgentFigures {
  const told = figures.flatMap(({ usage }) => usage ?? []);
  const costs = figures.flatMap(({ costUsd }) => costUsd ?? []);
  const usage: Usage = { input: 0, output: 0 };
  for (const each of told)
    for (const [name, count] of Object.entries(each) as [keyof Usage, number][])
      usage[name] = (usage[name] ?? 0) + count;
  return {
    usage: told.length === 0 ? null : usage,
    costUsd: costs.length === figures.length ? costs.reduce((total, cost) => total + cost, 0) : null,
    isPartial: figures.some(({ isPartial }) => isPartial) || (told.length > 0 && told.length < figures.length),
  };
}

function sumCounts(counts: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const sum = new Map<string, number>();
  for (const [name, count] of counts.flatMap((each) => [...each])) sum.set(name, (sum.get(name) ?? 0) + count);
  return sum;
}

/** How the program ended a message: by its final event, or by its exit code if it prints none. */
export function findExchangeEnd(
  { run, exit }: Pick<AgentExchange, "run" | "exit">,
  printsText: boolean,
): AgentEnd | null {
  const { end } = run.reader;
  if (end !== null || !printsText) return end;
  return exit.code === 0 ? { kind: "done" } : null;
}

type SentMessage = Pick<AgentExchange, "message" | "startedAt">;

/**
 * Puts the numbered messages of the user where they were sent. A program, or its model calls, may show them as well; those
 * are left out.
 */
export function numberMessages(events: readonly AgentEvent[], messages: readonly SentMessage[]): AgentEvent[] {
  const byTurn = messages.map((): AgentEvent[] => []);
  for (const event of events) {
    const at = messages.findLastIndex(({ startedAt }) => startedAt <= event.timestamp);
    byTurn[Math.max(0, at)]?.push(event);
  }
  return messages.flatMap(({ message, startedAt }, at): AgentEvent[] => {
    const own = byTurn[at] ?? [];
    const shown = own.findIndex((event) => event.type === "user_message" && event.text.includes(message.trim()));
    return [
      { type: "user_message", text: message, turn: at + 1, timestamp: startedAt },
      ...own.filter((_, index) => index !== shown),
    ];
  });
}
