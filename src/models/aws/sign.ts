import { createHash, createHmac } from "node:crypto";

/** An access key of AWS; temporary ones come with a session token. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

/** The request to sign. Header names are in lower case; `host` is taken from the URL. */
export interface UnsignedRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a signature is valid for. */
export interface SigningScope {
  readonly region: string;
  readonly service: string;
  /** Milliseconds since 1970. AWS accepts a signature for a few minutes. */
  readonly now: number;
}

const ALGORITHM = "AWS4-HMAC-SHA256";

/**
 * Signs a request with AWS Signature Version 4. Returns the headers to add to it: `authorization`, `x-amz-date`, and
 * `x-amz-security-token` for temporary credentials. The secret itself is never sent.
 * @example
 * const added = signAwsRequest({ method: "POST", url, headers, body }, credentials, { region: "us-east-1", service: "bedrock", now });
 */
export function signAwsRequest(
  { method, url, headers, body }: UnsignedRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  { region, service, now }: SigningScope,
): Record<string, string> {
  const { host, pathname, searchParams } = new URL(url);
  const time = formatAmzDate(now);
  const added = {
    "x-amz-date": time,
    ...(sessionToken === null ? {} : { "x-amz-security-token": sessionToken }),
  };
  const signed = listSignedHeaders({ ...headers, ...added, host });
  const names = signed.map(([name]) => name).join(";");
  const canonical = [
    method,
    formatCanonicalPath(pathname),
    formatCanonicalQuery(searchParams),
    ...signed.map(([name, value]) => `${name}:${value}`),
    "",
    names,
    hashHex(body),
  ].join("\n");
  const scope = [time.slice(0, 8), region, service, "aws4_request"];
  const toSign = [ALGORITHM, time, scope.join("/"), hashHex(canonical)].join("\n");
  const key = scope.reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${secretAccessKey}`);
  const signature = hmac(key, toSign).toString("hex");
  return {
    ...added,
    authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope.join("/")}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** The headers that proxies leave unchanged. */
function listSignedHeaders(headers: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(headers)
    .filter(([name]) => name === "host" || name === "content-type" || name.startsWith("x-amz-"))
    .map(([name, value]): [string, string] => [name, value.trim().replace(/ +/g, " ")])
    .sort(([a], [b]) => compareText(a, b));
}

/** Encoded once more than it is sent: the `%3A` of a model's name becomes `%253A`. */
function formatCanonicalPath(path: string): string {
  return path.split("/").map(encodeStrictly).join("/");
}

function formatCanonicalQuery(query: URLSearchParams): string {
  return [...query]
    .map(([name, value]): [string, string] => [encodeStrictly(name), encodeStrictly(value)])
    .sort((a, b) => compareText(a[0], b[0]) || compareText(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

/** `encodeURIComponent` leaves five more characters as they are than AWS does. */
function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** `20150830T123600Z`. */
function formatAmzDate(now: number): string {
  return new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, "");
}

function hashHex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/** By code unit, whatever the language of the machine. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
