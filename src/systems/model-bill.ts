import type { Usage } from "../core/system.js";
import type { HttpClient } from "../models/http/index.js";

/** The header by which our gateway says where the bill of a call can be asked for. */
const CALL_HEADER = "assay-call";

/** A gateway is on this machine, and knows. */
const PATIENCE_MS = 1500;

const MOST_BYTES = 10_000;

/** What a gateway has metered of a call. */
export interface Bill {
  readonly usage: Usage;
  readonly isEstimated: boolean;
}

/** Where the bill of a call can be asked for; null for endpoints that do not say. Never on another host than the call. */
export function billUrl(url: string, headers: Readonly<Record<string, unknown>>): string | null {
  const path = headers[CALL_HEADER];
  return typeof path === "string" && /^\/[\w/-]+$/.test(path) ? new URL(path, new URL(url).origin).href : null;
}

/**
 * Asks a gateway what a call has used that was left before its end, when no provider tells any more. Null when it does
 * not say: then there is an estimate.
 */
export async function askForBill(client: HttpClient, url: string): Promise<Bill | null> {
  try {
    const answer = await client.post({ url, headers: {}, body: "", signal: AbortSignal.timeout(PATIENCE_MS) });
    const bill = JSON.parse(await answer.text(MOST_BYTES)) as Bill | null;
    return answer.status === 200 && isUsage(bill?.usage) ? bill : null;
  } catch {
    return null;
  }
}

function isUsage(usage: Usage | undefined): boolean {
  return Number.isSafeInteger(usage?.input) && Object.values(usage ?? {}).every((count) => Number.isSafeInteger(count));
}
