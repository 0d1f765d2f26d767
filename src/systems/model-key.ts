import { createHash } from "node:crypto";
import { isCredentialName, isNonSecretName, UsageError } from "../core/index.js";
import { type AwsCredentials, type DialectName, type HttpRequest, signAwsRequest } from "../models/index.js";

interface KeySource {
  readonly dialect?: DialectName;
  /** The key itself; null if the endpoint needs none. */
  readonly apiKey?: string | null;
  /** The environment variable with the key. */
  readonly apiKeyEnv?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A key, and its description for messages. */
export interface ApiKey {
  readonly value: string | null;
  /** Set if the key is an access key of AWS: it signs requests and is not sent itself. */
  readonly aws?: AwsCredentials;
  /** For example "the key in OPENAI_API_KEY". */
  readonly label: string;
}

/** Reads the key of an endpoint; the error names a missing variable. */
export function resolveKey({ dialect, apiKey, apiKeyEnv, env }: KeySource): ApiKey {
  if (apiKey === null) return { value: null, label: "no key" };
  if (apiKey !== undefined) return { value: requireSendableKey(apiKey, "apiKey"), label: "the key given as apiKey" };
  if (apiKeyEnv === undefined) return { value: null, label: "no key" };
  const value = env[apiKeyEnv];
  if (dialect === "bedrock" && apiKeyEnv === ACCESS_KEY_VARIABLE) return readAccessKey(env);
  if (value === undefined || value.trim() === "") {
    if (apiKeyEnv === BEDROCK_KEY_VARIABLE) throw createNoAwsKeyError(`The variable ${apiKeyEnv} is not set`);
    throw new UsageError(`The environment variable ${apiKeyEnv} is not set. Put the endpoint's API key in it.`);
  }
  return { value: requireSendableKey(value, apiKeyEnv), label: `the key in ${apiKeyEnv}` };
}

const BEDROCK_KEY_VARIABLE = "AWS_BEARER_TOKEN_BEDROCK";
const ACCESS_KEY_VARIABLE = "AWS_ACCESS_KEY_ID";
const SECRET_KEY_VARIABLE = "AWS_SECRET_ACCESS_KEY";
const SESSION_TOKEN_VARIABLE = "AWS_SESSION_TOKEN";

function readAccessKey(env: KeySource["env"]): ApiKey {
  const read = (name: string) => {
    const value = env[name] ?? "";
    return value.trim() === "" ? null : requireSendableKey(value, name);
  };
  const [accessKeyId, secretAccessKey] = [read(ACCESS_KEY_VARIABLE), read(SECRET_KEY_VARIABLE)];
  if (accessKeyId === null) throw createNoAwsKeyError(`The variable ${ACCESS_KEY_VARIABLE} is not set`);
  if (secretAccessKey === null)
    throw createNoAwsKeyError(`${ACCESS_KEY_VARIABLE} is set, but ${SECRET_KEY_VARIABLE} is not`);
  const aws = { accessKeyId, secretAccessKey, sessionToken: read(SESSION_TOKEN_VARIABLE) };
  return { value: accessKeyId, aws, label: `the access key in ${ACCESS_KEY_VARIABLE}` };
}

/** Profiles, instance roles and the like are not read: credentials come from the environment only. */
function createNoAwsKeyError(problem: string): UsageError {
  return new UsageError(
    `Amazon Bedrock needs credentials: ${problem}. Set ${BEDROCK_KEY_VARIABLE} to an API key of Bedrock, or ${ACCESS_KEY_VARIABLE} and ${SECRET_KEY_VARIABLE}, with ${SESSION_TOKEN_VARIABLE} if they are temporary. The credentials of a profile are printed by \`aws configure export-credentials --format env\`.`,
  );
}

/** Returns the headers that sign a request. */
export type RequestSigner = (
  request: Pick<HttpRequest, "url" | "headers" | "body">,
) => Readonly<Record<string, string>>;

interface SignerOptions {
  readonly url: URL;
  readonly env: KeySource["env"];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Signs for the region of the host, else for that of the environment. */
export function createBedrockSigner(aws: AwsCredentials, { url, env, now }: SignerOptions): RequestSigner {
  const named = /(?:^|\.)bedrock-runtime(?:-fips)?\.([a-z\d-]+)\./.exec(url.hostname)?.[1];
  const region = [named, env.AWS_REGION, env.AWS_DEFAULT_REGION]
    .map((each) => each?.trim() ?? "")
    .find((each) => each !== "");
  if (region === undefined)
    throw new UsageError(
      `Requests to ${url.host} are signed for a region of AWS, which is not known. Set AWS_REGION, such as us-east-1.`,
    );
  return (request) => signAwsRequest({ method: "POST", ...request }, aws, { region, service: "bedrock", now: now() });
}

/** A key read from a file often ends with a line feed. */
function requireSendableKey(key: string, where: string): string {
  const trimmed = key.trim();
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new UsageError(
    `The key in ${where} is empty or contains spaces, line breaks or other characters that keys do not have. Copy it again.`,
  );
}

/** Shorter values are placeholders; words such as "none" occur in many messages. */
const MIN_SECRET_LENGTH = 6;
/** For unknown headers: a shorter value may be a word that also occurs in answers. */
const MIN_UNKNOWN_LENGTH = 16;

function extractSecrets(name: string, value: string): string[] {
  if (isNonSecretName(name)) return [];
  const words = [value, ...value.split(/[\s;,=]+/)];
  return isCredentialName(name) ? words : words.filter(({ length }) => length >= MIN_UNKNOWN_LENGTH);
}

/** Secrets that must not be shown: the key, and secrets in headers and the URL. */
export class Secrets {
  readonly #values: readonly string[];

  constructor(
    { value, aws }: Pick<ApiKey, "value" | "aws">,
    named: Iterable<readonly [name: string, value: string]>,
    others: readonly string[] = [],
  ) {
    const words = Array.from(named).flatMap(([name, value]) => extractSecrets(name, value));
    const keys = [value, aws?.secretAccessKey, aws?.sessionToken].filter((key) => key != null);
    const all = [...keys, ...words, ...others].filter(({ length }) => length >= MIN_SECRET_LENGTH);
    this.#values = [...new Set(all)].sort((a, b) => b.length - a.length);
  }

  get hasAny(): boolean {
    return this.#values.length > 0;
  }

  /** Removes the secrets from a text: some endpoints repeat the key in errors and answers. */
  scrub(text: string): string {
    return this.#values.reduce((clean, secret) => clean.replaceAll(secret, "[secret]"), text);
  }

  /** Distinguishes accounts without revealing them; "" without secrets. */
  get mark(): string {
    if (!this.hasAny) return "";
    return createHash("sha256").update(this.#values.join("\n")).digest("hex").slice(0, 8);
  }
}
