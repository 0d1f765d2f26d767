import { UsageError } from "../../core/errors.js";
import { isLoopback } from "../../core/loopback.js";

/** What has to be known of an endpoint before a key is sent to it. */
export interface EndpointCheck {
  readonly url: string;
  readonly hasKey: boolean;
  /** Lets a key travel over plain http to another machine. */
  readonly allowInsecure?: boolean;
}

/**
 * Throws unless the URL can be called, and a key sent there cannot be read by everyone on the way.
 * @example
 * requireSafeEndpoint({ url: "https://api.openai.com/v1", hasKey: true }).hostname; // "api.openai.com"
 */
export function requireSafeEndpoint({ url, hasKey, allowInsecure = false }: EndpointCheck): URL {
  const parsed = parse(url);
  if (parsed.username !== "" || parsed.password !== "") {
    throw new UsageError(
      `The URL of ${parsed.host} holds a user name or a password, which would end up in reports. Take it out and send it as a header.`,
    );
  }
  if (hasKey && !allowInsecure && parsed.protocol === "http:" && !isLoopback(parsed.hostname)) {
    throw new UsageError(
      `The key for ${parsed.host} would travel over plain http, where anyone on the way can read it. Use https, or pass allowInsecure (--allow-insecure) if you trust the network.`,
    );
  }
  return parsed;
}

function parse(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed !== null && (parsed.protocol === "http:" || parsed.protocol === "https:")) return parsed;
  throw new UsageError(
    `${JSON.stringify(url)} is not a URL that can be called. Give one such as http://127.0.0.1:8080/v1.`,
  );
}

/**
 * The host of a URL, with its port where that is not the usual one.
 * @example
 * endpointName("http://127.0.0.1:8080/v1"); // "127.0.0.1:8080"
 */
export function endpointName(url: string): string {
  return parse(url).host;
}
