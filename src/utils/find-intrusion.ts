/** The names by which a server is reached that only this machine can reach. */
export const OWN_NAMES: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Why a request is refused. */
export interface Intrusion {
  readonly status: 403 | 421;
  readonly message: string;
}

/**
 * Says of a request that a page of another site may have made, in a browser on this machine, why it is refused; null for
 * all others. `hosts` are the names that the server is reached by; null for any.
 * @example
 * findIntrusion((name) => request.headers[name], OWN_NAMES);
 */
export function findIntrusion(
  header: (name: string) => string | undefined,
  hosts: ReadonlySet<string> | null,
): Intrusion | null {
  if (hosts !== null && !hosts.has(hostName(header("host"))))
    return { status: 421, message: "This server answers to the name of its own machine alone." };
  const isCrossSite = header("sec-fetch-site") === "cross-site" && header("sec-fetch-mode") !== "navigate";
  return isCrossSite || isForeignOrigin(header("origin"), hosts)
    ? { status: 403, message: "Pages of other sites may not read this server." }
    : null;
}

function isForeignOrigin(origin: string | undefined, hosts: ReadonlySet<string> | null): boolean {
  return origin !== undefined && hosts !== null && !hosts.has(hostName(origin.replace(/^https?:\/\//i, "")));
}

function hostName(host = ""): string {
  return host.replace(/:\d+$/, "").toLowerCase();
}
