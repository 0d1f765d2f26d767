import type { TimelineStep } from "./contract.js";

/** A step; a call comes with its result, if it has one. */
export interface TimelineEntry {
  readonly step: TimelineStep;
  readonly result: TimelineStep | null;
  /** The index among all steps. */
  readonly place: number;
}

export const STEP_KIND_WORDS: Readonly<Record<TimelineStep["kind"], string>> = {
  user: "user",
  says: "says",
  thinks: "thinks",
  call: "calls",
  result: "result",
  tokens: "request",
  turn: "turn",
  skill: "skill",
  error: "error",
  system: "system",
  other: "other",
  pass: "passes",
  kill: "stopped",
};

/** Pairs results with calls by the id of the call, or in order where there are no ids. */
export function pairSteps(steps: readonly TimelineStep[]): TimelineEntry[] {
  const results = matchResults(steps);
  const taken = new Set(results.values());
  return steps.flatMap((step, place) => {
    if (taken.has(place)) return [];
    return [{ step, result: steps[results.get(place) ?? -1] ?? null, place }];
  });
}

/** The index of the result of each call. Ids may repeat, so a result belongs to the latest open call. */
function matchResults(steps: readonly TimelineStep[]): Map<number, number> {
  const waiting = new Map<string | null, number[]>();
  const results = new Map<number, number>();
  for (const [place, { kind, callId }] of steps.entries()) {
    const calls = waiting.get(callId) ?? [];
    waiting.set(callId, calls);
    if (kind === "call") calls.push(place);
    if (kind !== "result") continue;
    // Without ids, results come in the order of their calls.
    const call = callId === null ? calls.shift() : calls.pop();
    if (call !== undefined) results.set(call, place);
  }
  return results;
}

export function hasFailed({ step, result }: TimelineEntry): boolean {
  const { isSuccess, kind } = result ?? step;
  return isSuccess === false || kind === "error" || step.kind === "kill";
}

/** What an agent does with the answer of a model. */
const ACTION_KINDS: ReadonlySet<TimelineStep["kind"]> = new Set(["call", "says", "thinks", "skill"]);

/** One model request, named by what the agent did with it. */
export interface RequestBlock {
  readonly name: string;
  /** Where the reader is taken: the first action, else the request. */
  readonly place: number;
  readonly costUsd: number | null;
  readonly tokens: number | null;
  readonly isAfterPass: boolean;
  readonly request: TimelineEntry;
  /** What the agent did with the answer, in order. */
  readonly actions: readonly TimelineEntry[];
}

export interface TurnBlock {
  readonly name: string;
  readonly place: number;
  readonly requests: readonly RequestBlock[];
}

/**
 * Groups the model requests of a timeline by turn. Without turns, each request is a turn of its own. A request that names
 * its tool calls has these. Agents report a request before or after what it led to: other actions belong to the latest
 * request of their turn, or to the next one if there is none yet.
 */
export function groupRequests(entries: readonly TimelineEntry[]): TurnBlock[] {
  const passAt = entries.findIndex(({ step }) => step.kind === "pass");
  const passPlace = passAt < 0 ? null : (entries[passAt]?.place ?? null);
  const named = findNamedCalls(entries);
  return splitTurns(entries).flatMap(({ name, entries: own }) => {
    const requests = listRequests(own, named, passPlace);
    return requests.length === 0 ? [] : [{ name, place: own[0]?.place ?? 0, requests }];
  });
}

/** The calls that each request names, and all of them. */
interface NamedCalls {
  readonly of: ReadonlyMap<TimelineEntry, readonly TimelineEntry[]>;
  readonly all: ReadonlySet<TimelineEntry>;
}

function findNamedCalls(entries: readonly TimelineEntry[]): NamedCalls {
  const calls = new Map(entries.flatMap((entry) => (entry.step.kind === "call" ? [[entry.step.callId, entry]] : [])));
  const all = new Set<TimelineEntry>();
  const of = new Map<TimelineEntry, TimelineEntry[]>();
  for (const entry of entries) {
    const own = (entry.step.callIds ?? []).flatMap((id) => calls.get(id) ?? []).filter((call) => !all.has(call));
    if (own.length > 0) of.set(entry, own);
    for (const call of own) all.add(call);
  }
  return { of, all };
}

interface TurnEntries {
  readonly name: string;
  readonly entries: TimelineEntry[];
}

function splitTurns(entries: readonly TimelineEntry[]): TurnEntries[] {
  const turns: TurnEntries[] = [{ name: "Before the first turn", entries: [] }];
  for (const entry of entries) {
    if (entry.step.kind === "turn") turns.push({ name: entry.step.title, entries: [] });
    turns.at(-1)?.entries.push(entry);
  }
  const [first] = turns;
  return turns.length === 1 && first !== undefined ? [{ ...first, name: "" }] : turns;
}

function listRequests(entries: readonly TimelineEntry[], named: NamedCalls, passPlace: number | null): RequestBlock[] {
  const groups: { request: TimelineEntry; actions: TimelineEntry[] }[] = [];
  let waiting: TimelineEntry[] = [];
  for (const entry of entries) {
    if (entry.step.kind === "tokens") {
      groups.push({ request: entry, actions: [...waiting, ...(named.of.get(entry) ?? [])] });
      waiting = [];
    } else if (ACTION_KINDS.has(entry.step.kind) && !named.all.has(entry)) {
      // What a sub-agent does is not a part of the agent's own answer.
      const latest = groups.findLast(({ request }) => request.step.thread === entry.step.thread);
      if (latest === undefined) waiting.push(entry);
      else latest.actions.push(entry);
    }
  }
  return groups.map(({ request, actions: found }, index) => {
    const actions = found.toSorted((a, b) => a.place - b.place);
    return {
      name: nameRequest(actions) ?? `Request ${index + 1}`,
      place: (actions[0] ?? request).place,
      costUsd: request.step.stepCostUsd,
      tokens: request.step.stepTokens,
      isAfterPass: passPlace !== null && request.place > passPlace,
      request,
      actions,
    };
  });
}

const MAX_NAME_LENGTH = 80;

function nameRequest(actions: readonly TimelineEntry[]): string | null {
  const calls = actions.filter(({ step }) => step.kind === "call");
  const [first] = calls;
  if (first !== undefined) {
    const more = calls.length === 1 ? "" : ` and ${calls.length - 1} more`;
    return first.step.title.slice(0, MAX_NAME_LENGTH) + more;
  }
  const said = actions.find(({ step }) => step.kind === "says") ?? actions[0];
  if (said === undefined) return null;
  return `${STEP_KIND_WORDS[said.step.kind]} ${said.step.title || said.step.text.slice(0, MAX_NAME_LENGTH)}`;
}
