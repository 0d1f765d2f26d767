/** Host names of a server that is reachable only from this machine. */
export const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Why a request is rejected. */
export interface RequestRefusal {
  readonly status: 403 | 421;
  readonly message: string;
}

/**
 * Rejects requests that a page of another site may have made in a browser on this machine; null if the request is
 * allowed. `hosts` are the accepted host names; null for any.
 * @example
 * checkRequestOrigin((name) => request.headers[name], LOOPBACK_HOSTS);
 */
export function checkRequestOrigin(
  header: (name: string) => string | undefined,
  hosts: ReadonlySet<string> | null,
): RequestRefusal | null {
  if (hosts !== null && !hosts.has(normalizeHost(header("host"))))
    return { status: 421, message: "This server only accepts requests addressed to its own host name." };
  const isCrossSite = header("sec-fetch-site") === "cross-site" && header("sec-fetch-mode") !== "navigate";
  return isCrossSite || isForeignOrigin(header("origin"), hosts)
    ? { status: 403, message: "This server does not accept requests from other sites." }
    : null;
}

function isForeignOrigin(origin: string | undefined, hosts: ReadonlySet<string> | null): boolean {
  return origin !== undefined && hosts !== null && !hosts.has(normalizeHost(origin.replace(/^https?:\/\//i, "")));
}

function normalizeHost(host = ""): string {
  return host.replace(/:\d+$/, "").toLowerCase();
}
