import type { MockRequest } from "../../src/testing/mock/index.js";

/** Dollars for a thousand tokens, of every model here: so much that a cent is less than one answer. */
export const PRICE = { input: 0.1, output: 1 };

/** What an endpoint was asked, and what it takes for that. */
export interface Bill {
  readonly calls: number;
  /** Calls that a kill broke off. */
  readonly cut: number;
  /** Answers in full that were asked for again: they were paid for, and their outputs are lost. */
  readonly answeredTwice: number;
  /** For all calls. One that was cut is billed as if it had been answered in full, as providers do that go on. */
  readonly billedUsd: number;
  /** For one answer in full to each thing that was asked. */
  readonly neededUsd: number;
}

/** Adds up what an endpoint was asked about some examples. Each thing is to be asked once. */
export function addUp(requests: readonly MockRequest[], isAsked: (id: string) => boolean): Bill {
  const all = requests.filter(({ body }) => isAsked(idIn(body)));
  const answered = all.filter(({ aborted, status }) => !aborted && status === 200);
  const once = new Map(answered.map((request) => [thingAsked(request), request]));
  return {
    calls: all.length,
    cut: all.filter(({ aborted }) => aborted).length,
    answeredTwice: answered.length - once.size,
    billedUsd: sum(requests.map((request) => (request.aborted ? (once.get(thingAsked(request)) ?? request) : request))),
    neededUsd: sum([...once.values()]),
  };
}

function sum(requests: readonly MockRequest[]): number {
  return requests.reduce((total, { usage }) => {
    return usage === null ? total : total + (usage.input * PRICE.input + usage.output * PRICE.output) / 1000;
  }, 0);
}

/** The example that a request is about: its question has its id in it. */
function idIn(body: unknown): string {
  return /\bitem (e\d+)\b/.exec(JSON.stringify(body))?.[1] ?? "";
}

/** By whom it is asked, about which example, and in which turn. */
function thingAsked({ model, body }: MockRequest): string {
  // A call that was cut early has no body.
  const { messages = [] } = (body ?? {}) as { messages?: unknown[] };
  return `${model} ${idIn(body)} ${messages.length}`;
}
