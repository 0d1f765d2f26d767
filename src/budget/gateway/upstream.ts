import {
  type ClientRequest,
  Agent as HttpAgent,
  type OutgoingHttpHeaders,
  type RequestOptions,
  request as requestHttp,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { UsageError } from "../../core/errors.js";
import { isLoopback } from "../../core/loopback.js";
import { requireSafeEndpoint } from "../../models/http/endpoint.js";
import type { Provider } from "./provider.js";
import { withoutKeys } from "./query.js";

export interface UpstreamOptions {
  readonly provider: Provider;
  /** Instead of the provider's own. */
  readonly url?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Sent in place of the clients' keys; empty for none at all. */
  readonly key?: string | undefined;
  /** Lets keys travel over plain http to another machine. */
  readonly allowInsecure: boolean;
}

export interface UpstreamRequest {
  readonly method: string;
  /** Below the upstream's URL, with the query; "" for the URL itself. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
}

/**
 * Connections that nobody uses are closed sooner than by any server that is known, most of which wait for 5 seconds or
 * more: a request on a connection that is being closed at the other end fails, and nobody can say whether it was received.
 */
const MAX_IDLE_MS = 4000;

/** Where one provider's requests go, over connections that are kept. */
export class Upstream {
  readonly provider: Provider;
  readonly url: string;
  /** For messages: host and port. */
  readonly host: string;
  /** True for the provider's own address, and for this machine: there the provider's names, prices and key hold. */
  readonly isProviders: boolean;
  /** Added to requests that have none, or put in the place of theirs. */
  readonly key: string | null;
  /** True when no key of a client goes on. */
  readonly replacesKey: boolean;
  readonly #options: RequestOptions;
  readonly #basePath: string;
  readonly #isSecure: boolean;
  readonly #agent: HttpAgent;

  constructor({ provider, url = provider.upstream, env, key, allowInsecure }: UpstreamOptions) {
    // Clients send a key with nearly every request.
    const parsed = requireSafeEndpoint({ url, hasKey: true, allowInsecure });
    const keep = { keepAlive: true, maxFreeSockets: 65_536, timeout: MAX_IDLE_MS };
    this.provider = provider;
    this.url = url;
    this.host = parsed.host;
    this.isProviders = parsed.host === new URL(provider.upstream).host || isLoopback(parsed.hostname);
    this.replacesKey = key !== undefined;
    if (key !== undefined) this.key = givenKey(key, provider);
    else this.key = this.isProviders ? keyIn(env, provider) : null;
    this.#isSecure = parsed.protocol === "https:";
    this.#agent = this.#isSecure ? new HttpsAgent(keep) : new HttpAgent(keep);
    this.#basePath = basePath(parsed, provider);
    this.#options = { host: parsed.hostname.replace(/^\[|\]$/g, ""), port: parsed.port || (this.#isSecure ? 443 : 80) };
  }

  /** Begins a request; its body is still to be written. */
  request({ method, path, headers }: UpstreamRequest): ClientRequest {
    const full = this.#basePath + (this.#hidesKeysInPath ? withoutKeys(path) : path);
    const options: RequestOptions = {
      ...this.#options,
      method,
      path: full.startsWith("/") ? full : `/${full}`,
      headers,
      agent: this.#agent,
    };
    return this.#isSecure ? requestHttps(options) : requestHttp(options);
  }

  get #hidesKeysInPath(): boolean {
    return this.replacesKey && this.provider.name === "google";
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A key read from a file often ends with a line feed. */
function givenKey(key: string, { name }: Provider): string | null {
  const trimmed = key.trim();
  if (/^[\x21-\x7e]*$/.test(trimmed)) return trimmed === "" ? null : trimmed;
  throw new UsageError(`The key for ${name} holds characters that no key has, such as spaces. Copy it again.`);
}

function keyIn(env: NodeJS.ProcessEnv, { keyVariables }: Provider): string | null {
  return keyVariables.map((name) => env[name]).find((value) => value !== undefined && value !== "") ?? null;
}

/** Clients of most providers send the version themselves: one at the end of the URL would be there twice. */
function basePath({ pathname }: URL, { version, versionInBase }: Provider): string {
  const path = pathname.replace(/\/+$/, "");
  return !versionInBase && path.endsWith(version) ? path.slice(0, -version.length) : path;
}
