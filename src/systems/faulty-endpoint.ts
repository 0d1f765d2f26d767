import { PROVIDERS, startGateway } from "../budget/index.js";
import type { FaultSource } from "../core/index.js";
import type { DialectName } from "../models/index.js";
import { splitCallUrl } from "./gateway-paths.js";

/** An address whose calls fail as the faults say and otherwise reach the real one. */
export interface FaultyEndpoint {
  readonly url: string;
  close(): Promise<void>;
}

/** Opens a gateway to a model for one trial. It does not limit costs: the system itself does. */
export async function openFaultyEndpoint(
  { url, dialect }: { url: string; dialect: DialectName },
  faults: FaultSource,
): Promise<FaultyEndpoint> {
  const split = splitCallUrl(url, dialect);
  if (split === null) throw new TypeError(`The gateway does not know the path of ${url}.`);
  const { provider, upstream, path } = split;
  const gateway = await startGateway({
    upstreams: { [provider]: upstream },
    faults,
    // Keys come with the calls, and whether they may be sent was checked for the real address.
    env: {},
    allowInsecure: true,
    priceOf: () => null,
  });
  return { url: gateway.url + PROVIDERS[provider].mount + path, close: () => gateway.close() };
}
