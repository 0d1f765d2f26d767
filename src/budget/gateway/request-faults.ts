import { once } from "node:events";
import { type PlannedFault, STATUS_CALL_FAULTS } from "../../core/index.js";
import type { ProxiedRequest } from "./proxied-request.js";

const MESSAGES: Readonly<Record<string, string>> = {
  429: "Too many requests",
  500: "The server failed",
  503: "The service is unavailable",
  529: "The model is overloaded",
};

/**
 * Injects a fault that comes before the answer. Returns true if the request has ended: it never reached the upstream, so
 * it costs nothing.
 */
export async function injectRequestFault(proxied: ProxiedRequest): Promise<boolean> {
  const fault = proxied.plannedFault;
  if (fault === null || proxied.client.destroyed) return false;
  if (fault.kind === "slow") {
    proxied.recordFault();
    await waitWhileConnected(proxied, (fault.seconds ?? 0) * 1000);
    return false;
  }
  if (fault.kind === "disconnect") {
    proxied.recordFault();
    proxied.client.socket?.resetAndDestroy();
  } else if (isStatusFault(fault)) {
    proxied.recordFault();
    sendStatusFault(proxied, fault);
  } else return false;
  proxied.end("failed", { message: `Injected fault: ${fault.kind}` });
  return true;
}

function isStatusFault({ kind }: PlannedFault): boolean {
  return (STATUS_CALL_FAULTS as readonly string[]).includes(kind);
}

function sendStatusFault({ client, dialect }: ProxiedRequest, { kind, seconds }: PlannedFault): void {
  const status = Number(kind);
  const message = `${MESSAGES[kind]} (injected by Assay)`;
  const body = JSON.stringify(dialect.errorBody(status, { message, type: null }));
  client.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    // Whole seconds, as the header requires.
    ...(seconds === null ? {} : { "retry-after": String(Math.ceil(seconds)) }),
  });
  client.end(body);
}

/** Ends early when the client disconnects. */
async function waitWhileConnected({ client }: ProxiedRequest, ms: number): Promise<void> {
  const leave = new AbortController();
  const timer = setTimeout(() => leave.abort(), ms);
  await once(client, "close", { signal: leave.signal }).catch(() => {});
  clearTimeout(timer);
}
