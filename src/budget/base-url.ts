import { UsageError } from "../core/errors.js";
import { isNonSecretName } from "../core/harmless-name.js";
import type { WireDialect } from "./providers.js";

/** Checks the base URL given with a flag. For a bare host, adds the dialect's usual path. */
export function requireBaseUrl(flag: string, url: string, dialect: WireDialect): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || (parsed.protocol !== "http:" && parsed.protocol !== "https:"))
    throw new UsageError(`${flag} must be an http or https URL such as http://127.0.0.1:8080/v1, not "${url}".`);
  requireNoSecret(parsed);
  if (parsed.pathname !== "/") return url.replace(/\/+$/, "");
  parsed.pathname = dialect === "gemini" ? "/v1beta" : "/v1";
  return parsed.href;
}

/** The command line is stored in the run folder so that the run can be resumed. */
function requireNoSecret({ host, username, password, searchParams }: URL): void {
  const field = [...searchParams.keys()].find((name) => !isNonSecretName(name));
  if (username + password === "" && field === undefined) return;
  throw new UsageError(
    `The URL of ${host} contains ${field === undefined ? "a user name or a password" : `"${field}"`}, which would be stored with the run. Send it with --header, or name an environment variable with --api-key-env.`,
  );
}
