import { type InfrastructureCategory, type Outlook, type Retry, TrialError } from "../core/errors.js";
import type { ProviderError } from "../models/dialects/index.js";
import { type Headers, retryAfterMs } from "../models/http/index.js";

/** What is known of the call that failed, for messages. */
export interface CallSite {
  readonly url: string;
  /** Host and port. */
  readonly host: string;
  readonly model: string;
  readonly keyLabel: string;
}

/** An answer that says, by its status, that there is none. */
export interface FailedAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** What the body says, in a few words; "" when it says nothing. */
  readonly said: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A request that was refused for one of its parameters: it may be sent without it. */
export class RefusedParameterError extends TrialError {
  readonly parameter: string;

  constructor(parameter: string, message: string) {
    super("api_error", message, { outlook: "rejected" });
    this.parameter = parameter;
  }
}

/** What an error status means, and whether the call may be made again. */
export function statusError(site: CallSite, { status, headers, said, now }: FailedAnswer): TrialError {
  const category = categoryOf(status);
  const isPassing = category !== "api_error" || status >= 500;
  const retry = { afterMs: retryAfterMs(headers, now) };
  const outlook = readOutlook(status, said);
  return new TrialError(category, explain(site, status, said), {
    ...(isPassing && { retry }),
    ...(outlook !== null && { outlook }),
  });
}

/** Rejected for what was said in it, a request says nothing of others. */
const OF_CONTENT = /content.?(?:filter|policy|management)|flagged|moderat|safety/i;

function readOutlook(status: number, said: string): Outlook | null {
  if (categoryOf(status) !== "api_error" || OF_CONTENT.test(said)) return null;
  if (status >= 500) return "down";
  return [401, 403, 404].includes(status) ? "refused" : "rejected";
}

function categoryOf(status: number): InfrastructureCategory {
  if (status === 429 || status === 529) return "rate_limit";
  // 524 is Cloudflare's word for a server that did not answer in time.
  return [408, 504, 524].includes(status) ? "timeout" : "api_error";
}

function explain({ host, url, model, keyLabel }: CallSite, status: number, said: string): string {
  const words = said === "" ? "." : `: ${said}`;
  const named = model === "" ? "" : ` for the model "${model}"`;
  if (status === 401 || status === 403) {
    const refused = keyLabel === "no key" ? "it asks for a key, and none was given" : `${keyLabel} was refused`;
    return `${host} answered ${status}: ${refused}${said === "" ? "." : ` (${said}).`}`;
  }
  if (status === 404) return `${host} answered 404${named} at ${url}. Check the base URL and the model's name${words}`;
  return `${host} answered ${status}${named}${words}`;
}

/** An error that came inside an answer. Providers that are overloaded say so there, too. */
export function errorInside(host: string, { message, type }: ProviderError): TrialError {
  const isLimit = /rate.?limit|overloaded|resource_exhausted|^429$|^529$/i.test(type ?? "");
  const kind = type === null ? "" : ` (${type})`;
  return again(isLimit ? "rate_limit" : "api_error", `${host} broke off its answer with an error${kind}: ${message}`);
}

/** An answer that is broken, and may be whole the next time. */
export function broken(message: string): TrialError {
  return again("api_error", message);
}

/** An answer of the wrong kind, which it will be the next time as well. */
export function wrongKind(site: CallSite, head: string): TrialError {
  const advice = `Check the base URL and the dialect (${site.url}).`;
  if (isHtml(head)) {
    return new TrialError(
      "api_error",
      `${site.host} answered with HTML (a login page or a wrong base URL?). ${advice}`,
    );
  }
  const shown = head.trim() === "" ? "nothing" : JSON.stringify(excerpt(head, 80));
  return new TrialError("api_error", `${site.host} answered with something else than was asked: ${shown}. ${advice}`);
}

/** Whether a text begins like a page for a browser. */
export function isHtml(text: string): boolean {
  return /^\s*<(?:!doctype|html|head|body|\?xml|!--)/i.test(text);
}

/** The beginning of a text, on one line. */
export function excerpt(text: string, length: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length)}…`;
}

function again(category: InfrastructureCategory, message: string): TrialError {
  const retry: Retry = { afterMs: null };
  return new TrialError(category, message, { retry });
}
