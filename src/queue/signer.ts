import { createHmac, timingSafeEqual } from "node:crypto";
import { isLoopback, QueueError, UsageError } from "../core/index.js";
import { type Announcement, QUEUE_SCHEMA } from "./contract.js";

/** The variable with the secret shared by a run and its workers. */
const SECRET_VARIABLE = "ASSAY_QUEUE_SECRET";
/** Shorter secrets can be guessed. */
const MIN_SECRET_CHARS = 16;
/** Maximum age of an announcement. Allows for clock differences; a run signs its announcement again every minute. */
export const MAX_ANNOUNCEMENT_AGE_MS = 300_000;
const SIGNATURE_BYTES = 32;

/** What a signature is for: a signature of a job is not valid for a batch. */
type SignaturePurpose = "announcement" | "job" | "results" | "leave";

/** An announcement as stored in Redis. */
export interface SignedAnnouncement {
  /** The announcement as JSON. */
  body: string;
  /** When it was signed, in milliseconds since 1970 by the clock of the run. */
  signedAt: number;
  signature: string;
}

/** Signs the messages of a run and its workers, because others may be able to write to their Redis. */
export class QueueSigner {
  readonly #secret: string;

  /** With an empty secret anyone can sign: only for a Redis on this machine. */
  constructor(secret: string) {
    this.#secret = secret;
  }

  signAnnouncement(announcement: Announcement, now = Date.now()): string {
    const body = JSON.stringify(announcement);
    const signature = this.#sign("announcement", [announcement.key, String(now), body]).toString("hex");
    return JSON.stringify({ body, signedAt: now, signature } satisfies SignedAnnouncement);
  }

  /** Verifies an announcement; throws if its signature is invalid or too old. Null if it is of another version. */
  openAnnouncement(key: string, text: string, now = Date.now()): Announcement | null {
    const signed = parseSignedAnnouncement(text);
    if (signed === null) return null;
    const { body, signedAt, signature } = signed;
    const own = this.#sign("announcement", [key, String(signedAt), body]);
    if (!isSameSignature(own, Buffer.from(signature, "hex")))
      throw new QueueError(
        `its announcement is not signed with this worker's secret, or was changed. Set ${SECRET_VARIABLE} to the same value for the run and for its workers`,
      );
    const ageMs = Math.abs(now - signedAt);
    if (ageMs > MAX_ANNOUNCEMENT_AGE_MS)
      throw new QueueError(
        `its announcement was signed ${Math.round(ageMs / 60_000)} minutes ${signedAt < now ? "ago" : "from now"}: it may be a replayed old one, or the clocks of the two machines differ. Synchronize the clocks`,
      );
    const announcement = parseAnnouncement(body);
    return announcement?.key === key ? announcement : null;
  }

  /** The signature of a job: one trial of one run. */
  signJob(key: string, index: number, again: boolean): string {
    return this.#sign("job", [key, String(index), String(again)]).toString("base64");
  }

  isJobSigned(
    key: string,
    { index, again = false, signature }: { index: number; again?: boolean; signature?: string },
  ) {
    const own = this.#sign("job", [key, String(index), String(again)]);
    return isSameSignature(own, Buffer.from(String(signature), "base64"));
  }

  /** Signs the dismissal of a worker. */
  signLeave(key: string, worker: string, why: string): string {
    return JSON.stringify({ why, signature: this.#sign("leave", [key, worker, why]).toString("base64") });
  }

  /** Why a worker is dismissed; null if the run did not sign it. */
  openLeave(key: string, worker: string, text: string): string | null {
    const { why, signature } = parseObjectOrEmpty(text);
    const own = this.#sign("leave", [key, worker, String(why)]);
    return isSameSignature(own, Buffer.from(String(signature), "base64")) ? String(why) : null;
  }

  signResults(key: string, data: Buffer): Buffer {
    return Buffer.concat([this.#sign("results", [key, data]), data]);
  }

  /** Verifies and returns results; throws if no worker of the run signed them. */
  openResults(key: string, signed: Buffer): Buffer {
    const data = signed.subarray(SIGNATURE_BYTES);
    if (isSameSignature(this.#sign("results", [key, data]), signed.subarray(0, SIGNATURE_BYTES))) return data;
    throw new QueueError(`it is not signed with the ${SECRET_VARIABLE} of the run`);
  }

  /** Each part is signed with its length, so that different lists never have the same signature. */
  #sign(purpose: SignaturePurpose, parts: readonly (string | Buffer)[]): Buffer {
    const hmac = createHmac("sha256", this.#secret).update(`${QUEUE_SCHEMA} ${purpose}`);
    for (const part of parts) hmac.update(`\n${Buffer.byteLength(part)}\n`).update(part);
    return hmac.digest();
  }
}

/**
 * Creates a signer with the given secret or ASSAY_QUEUE_SECRET. Throws if there is none and others may be able to write to
 * that Redis.
 * @example
 * const signer = createSigner("redis://queue:6379", "a long random text");
 */
export function createSigner(url: string, secret = process.env[SECRET_VARIABLE] ?? ""): QueueSigner {
  if (secret === "") {
    const host = URL.canParse(url) ? new URL(url).hostname : "";
    if (host === "" || isLoopback(host)) return new QueueSigner("");
    throw new UsageError(
      `The Redis at ${host} is on another machine, but ${SECRET_VARIABLE} is not set: anyone who can write there could control workers. Set it to the same random text for the run and for all workers; generate one with: openssl rand -hex 32`,
    );
  }
  if (secret.length < MIN_SECRET_CHARS)
    throw new UsageError(
      `${SECRET_VARIABLE} has ${secret.length} characters, but needs at least ${MIN_SECRET_CHARS}. Generate one with: openssl rand -hex 32`,
    );
  return new QueueSigner(secret);
}

/** Parses a stored announcement without verifying it; null if it is of another version. */
export function parseSignedAnnouncement(text: string): SignedAnnouncement | null {
  const { body, signedAt, signature } = parseObjectOrEmpty(text);
  const isSigned = typeof body === "string" && typeof signedAt === "number" && typeof signature === "string";
  return isSigned ? { body, signedAt, signature } : null;
}

/** Parses an announcement; null if it is of another version. */
export function parseAnnouncement(body: string): Announcement | null {
  const announcement = parseObjectOrEmpty(body);
  return announcement.schema === QUEUE_SCHEMA ? (announcement as unknown as Announcement) : null;
}

function parseObjectOrEmpty(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function isSameSignature(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
