import type { MockRequest } from "../../src/testing/mock/index.js";

/** Dollars per thousand tokens for every model here: one answer costs more than a cent. */
export const PRICE = { input: 0.1, output: 1 };

/** The requests that an endpoint received, and their cost. */
export interface Bill {
  readonly calls: number;
  /** Calls interrupted by a kill. */
  readonly cut: number;
  /** Complete answers that were requested again: they were paid for, but their outputs are lost. */
  readonly answeredTwice: number;
  /** For all calls. An interrupted one is billed like a complete answer, as by providers that keep generating. */
  readonly billedUsd: number;
  /** For one complete answer to each distinct request. */
  readonly neededUsd: number;
}

/** Each distinct request should be made once. */
export function computeBill(requests: readonly MockRequest[], isAsked: (id: string) => boolean): Bill {
  const all = requests.filter(({ body }) => isAsked(findExampleId(body)));
  const answered = all.filter(({ aborted, status }) => !aborted && status === 200);
  const once = new Map(answered.map((request) => [formatRequestKey(request), request]));
  return {
    calls: all.length,
    cut: all.filter(({ aborted }) => aborted).length,
    answeredTwice: answered.length - once.size,
    billedUsd: sumCost(
      requests.map((request) => (request.aborted ? (once.get(formatRequestKey(request)) ?? request) : request)),
    ),
    neededUsd: sumCost([...once.values()]),
  };
}

function sumCost(requests: readonly MockRequest[]): number {
  return requests.reduce((total, { usage }) => {
    return usage === null ? total : total + (usage.input * PRICE.input + usage.output * PRICE.output) / 1000;
  }, 0);
}

/** The example of a request: its question contains its id. */
function findExampleId(body: unknown): string {
  return /\bitem (e\d+)\b/.exec(JSON.stringify(body))?.[1] ?? "";
}

/** Identifies a request by model, example and turn. */
function formatRequestKey({ model, body }: MockRequest): string {
  // A call that was interrupted early has no body.
  const { messages = [] } = (body ?? {}) as { messages?: unknown[] };
  return `${model} ${findExampleId(body)} ${messages.length}`;
}
