import { timingSafeEqual } from "node:crypto";
import type { DialectName } from "../dialects/dialect.js";
import { PROVIDERS, type Provider } from "./provider.js";

/** Where a request is to go, and how it can be metered. */
export interface Route {
  readonly provider: Provider;
  /** Below the upstream's URL, with the query. */
  readonly path: string;
  /** Null for a path that no answer of a model comes from, such as a list of models. */
  readonly dialect: DialectName | null;
  /** Set for a question how long a prompt is: it costs nothing, but names a model. */
  readonly counts: DialectName | null;
}

/** The gateway's own address: its paths begin with a secret, so that only who was told can spend money through it. */
export class RouteTable {
  readonly #secret: Buffer;

  constructor(token: string) {
    this.#secret = Buffer.from(`/${token}/`);
  }

  /** Null for whatever does not begin with the secret and the name of a provider. */
  find(method: string, url: string): Route | null {
    const below = this.#belowSecret(url);
    if (below === null) return null;
    for (const provider of Object.values(PROVIDERS)) {
      const rest = below.slice(provider.name.length + 1);
      if (!below.startsWith(`/${provider.name}`) || !/^(?:$|[/?])/.test(rest)) continue;
      const path = upstreamPath(provider, rest);
      const isPost = method === "POST";
      return {
        provider,
        path,
        dialect: isPost ? among(ENDINGS, path) : null,
        counts: isPost ? among(COUNTS, path) : null,
      };
    }
    return null;
  }

  /** The call whose bill a path asks for; null for all other paths. */
  findCall(url: string): string | null {
    const below = this.#belowSecret(url);
    return below === null ? null : (/^\/calls\/(\d{1,15})$/.exec(below)?.[1] ?? null);
  }

  /** The path below which the bill of a call is asked for. */
  callPath(call: string): string {
    return `${this.#secret.toString()}calls/${call}`;
  }

  #belowSecret(url: string): string | null {
    const { length } = this.#secret;
    const start = Buffer.from(url.slice(0, length));
    return start.length === length && timingSafeEqual(start, this.#secret) ? url.slice(length - 1) : null;
  }
}

/** Clients disagree on whether the version belongs to the base URL or to the path: both are taken. */
function upstreamPath({ version, versionInBase }: Provider, rest: string): string {
  if (rest.startsWith("?")) return `/${rest}`;
  if (versionInBase) return isBelow(rest, version) ? rest.slice(version.length) : rest;
  return /^\/(?:messages|models)\b/.test(rest) ? version + rest : rest;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder) && /^(?:$|[/?])/.test(path.slice(folder.length));
}

const ENDINGS: readonly (readonly [string, DialectName])[] = [
  ["/chat/completions", "chat"],
  ["/responses", "responses"],
  ["/responses/compact", "responses"],
  ["/messages", "anthropic"],
  [":generateContent", "gemini"],
  [":streamGenerateContent", "gemini"],
];

const COUNTS: readonly (readonly [string, DialectName])[] = [
  ["/responses/input_tokens", "responses"],
  ["/messages/count_tokens", "anthropic"],
  [":countTokens", "gemini"],
];

function among(endings: typeof ENDINGS, path: string): DialectName | null {
  const name = withoutQuery(path);
  return endings.find(([ending]) => name.endsWith(ending))?.[1] ?? null;
}

/** The path alone: queries may hold keys. */
export function withoutQuery(path: string): string {
  const query = path.indexOf("?");
  return query === -1 ? path : path.slice(0, query);
}

/** The fields of a query that carry a key, at Google. */
const KEY_FIELDS = new Set(["key", "access_token"]);

/** The keys in the query of a path. */
export function keysInQuery(path: string): string[] {
  return fieldsOf(path)
    .filter(isKeyField)
    .map((field) => decoded(field.slice(field.indexOf("=") + 1)));
}

/** The same path without keys, every other byte as it was. */
export function withoutKeys(path: string): string {
  if (!fieldsOf(path).some(isKeyField)) return path;
  const kept = fieldsOf(path).filter((field) => !isKeyField(field));
  return kept.length === 0 ? withoutQuery(path) : `${withoutQuery(path)}?${kept.join("&")}`;
}

function fieldsOf(path: string): string[] {
  const bare = withoutQuery(path);
  return bare === path ? [] : path.slice(bare.length + 1).split("&");
}

function isKeyField(field: string): boolean {
  return KEY_FIELDS.has(decoded(field.split("=", 1)[0] ?? ""));
}

const GEMINI_MODEL = /([^/]+)(:(?:generateContent|streamGenerateContent|countTokens))$/;

/** The model that a path of Gemini names. */
export function modelInPath(path: string): string | null {
  const name = GEMINI_MODEL.exec(withoutQuery(path))?.[1];
  return name === undefined ? null : decoded(name);
}

/** The same path with another model. */
export function withModelInPath(path: string, model: string): string {
  const bare = withoutQuery(path);
  const replaced = bare.replace(GEMINI_MODEL, (_, _name: string, action: string) => encodeURIComponent(model) + action);
  return replaced + path.slice(bare.length);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
