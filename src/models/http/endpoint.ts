import { isLoopback, UsageError } from "../../core/index.js";

export interface EndpointCheckOptions {
  readonly url: string;
  readonly hasKey: boolean;
  /** Allows sending a key over plain http to another machine. */
  readonly allowInsecure?: boolean;
}

/**
 * Throws if the URL is invalid, or if a key would be sent unencrypted to another machine.
 * @example
 * requireSafeEndpoint({ url: "https://api.openai.com/v1", hasKey: true }).hostname; // "api.openai.com"
 */
export function requireSafeEndpoint({ url, hasKey, allowInsecure = false }: EndpointCheckOptions): URL {
  const parsed = parseEndpointUrl(url);
  if (parsed.username !== "" || parsed.password !== "") {
    throw new UsageError(
      `The URL of ${parsed.host} contains a user name or a password, which would end up in reports. Remove it and send it as a header.`,
    );
  }
  if (hasKey && !allowInsecure && parsed.protocol === "http:" && !isLoopback(parsed.hostname)) {
    throw new UsageError(
      `The key for ${parsed.host} would be sent over plain http, where others can read it. Use https, or pass allowInsecure (--allow-insecure) if you trust the network.`,
    );
  }
  return parsed;
}

function parseEndpointUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed !== null && (parsed.protocol === "http:" || parsed.protocol === "https:")) return parsed;
  throw new UsageError(`${JSON.stringify(url)} is not an http or https URL. Use one like http://127.0.0.1:8080/v1.`);
}

/**
 * The host of a URL, with its port unless it is the default.
 * @example
 * parseEndpointHost("http://127.0.0.1:8080/v1"); // "127.0.0.1:8080"
 */
export function parseEndpointHost(url: string): string {
  return parseEndpointUrl(url).host;
}
