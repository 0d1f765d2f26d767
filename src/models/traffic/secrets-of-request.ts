import { findSecretsInPath, isCredentialName } from "../../core/index.js";
import type { TransportRequest } from "../http/transport.js";
import type { Replacement } from "./replace-texts.js";

/** Shorter values are placeholders, or words that occur in many texts. */
const MIN_SECRET_LENGTH = 6;

/** For variables: their names say less about their values. */
const MIN_VARIABLE_LENGTH = 16;

const SECRET_VARIABLE = /key|token|secret|password|credential/i;

const HIDDEN = "[secret]";

/** The keys that a request carries. */
export function listRequestSecrets({ origin, path, headers }: TransportRequest): string[] {
  const url = new URL(path, origin);
  const named = [...Object.entries(headers), ...url.searchParams]
    .filter(([name]) => isCredentialName(name))
    .flatMap(([, value]) => [value ?? []].flat().map(String))
    .flatMap((value) => [value, ...value.split(/[\s;,=]+/)]);
  return [...named, ...findSecretsInPath(url.href)].filter(({ length }) => length >= MIN_SECRET_LENGTH);
}

/** Values of variables that hold keys: an agent may print them. */
export function listVariableSecrets(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value = ""]) =>
    SECRET_VARIABLE.test(name) && value.length >= MIN_VARIABLE_LENGTH && !/[\s/]/.test(value) ? [value] : [],
  );
}

/** The path without the parameters that carry keys. */
export function stripPathSecrets(path: string): string {
  const [bare = "", query] = path.split(/\?(.*)/s);
  if (query === undefined) return bare;
  const kept = query.split("&").filter((field) => !isCredentialName(field.split("=", 1)[0] ?? ""));
  return kept.length === 0 ? bare : `${bare}?${kept.join("&")}`;
}

export function hide(secrets: Iterable<string>): Replacement[] {
  return Array.from(secrets, (secret) => [secret, HIDDEN] as const);
}
