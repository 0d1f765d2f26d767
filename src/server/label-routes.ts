import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { UsageError } from "../core/index.js";
import type { LabelAccess } from "../report/index.js";
import { type TrialLabelDraft, trialLabelDraftSchema } from "../store/index.js";
import type { RunService } from "./run-service.js";

export interface LabelOptions {
  /** Written into each label; null if not said. */
  labeler: string | null;
}

/** The header in which the page sends its write token. */
const WRITE_TOKEN_HEADER = "x-assay-write-token";

const MAX_BODY_BYTES = 64 * 1024;

/**
 * Routes that read the labels of trials, and write them if `options` is not null. A write must come from a page of this
 * server: it needs the server's own origin and a token that only such a page can read.
 */
export function makeLabelRoutes(desk: RunService, options: LabelOptions | null): Hono {
  const routes = new Hono();
  const writeToken = options === null ? null : randomBytes(24).toString("base64url");
  routes.get("/label-access", (context) => {
    if (!isOwnPage(context)) return refuse(context, 403, "Only a page of this server may ask for the write token.");
    context.header("Vary", "Sec-Fetch-Site");
    return context.json({ writeToken } satisfies LabelAccess);
  });
  routes.get("/runs/:id/labels", async (context) => context.json(await desk.getLabels(context.req.param("id"))));
  const limit = bodyLimit({
    maxSize: MAX_BODY_BYTES,
    onError: (context) => refuse(context, 413, `The label is larger than ${MAX_BODY_BYTES} bytes.`),
  });
  routes.post(
    "/runs/:id/labels",
    async (context, next) => refuseWrite(context, writeToken) ?? next(),
    limit,
    async (context) => {
      const draft = await readDraft(context);
      const label = { ...draft, at: new Date().toISOString(), labeler: options?.labeler ?? null };
      return context.json(await desk.addLabel(context.req.param("id"), label));
    },
  );
  return routes;
}

/** Browsers say where a request comes from; programs and older browsers, which cannot read across sites, do not. */
function isOwnPage(context: Context): boolean {
  return (context.req.header("sec-fetch-site") ?? "same-origin") === "same-origin";
}

function refuse(context: Context, status: 403 | 405 | 413 | 415, error: string): Response {
  return context.json({ error }, status);
}

function refuseWrite(context: Context, writeToken: string | null): Response | null {
  if (writeToken === null)
    return refuse(context, 405, "This server only reads. To write labels, start it with: assay serve --label");
  if (!isOwnPage(context) || !isOwnOrigin(context.req.header("origin"), context.req.header("host")))
    return refuse(context, 403, "Labels are only accepted from a page of this server.");
  if (!isSameText(context.req.header(WRITE_TOKEN_HEADER) ?? "", writeToken))
    return refuse(context, 403, "The write token is missing or of an earlier server. Reload the page.");
  if (!/^application\/json\s*(;|$)/i.test(context.req.header("content-type") ?? ""))
    return refuse(context, 415, "A label must be sent as application/json.");
  return null;
}

/** With the port: a page of another server on this machine has another origin. */
function isOwnOrigin(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined || host === undefined) return false;
  return /^https?:\/\//i.test(origin) && origin.replace(/^https?:\/\//i, "").toLowerCase() === host.toLowerCase();
}

/** Takes the same time wherever the texts differ. */
function isSameText(given: string, wanted: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(wanted));
}

async function readDraft(context: Context): Promise<TrialLabelDraft> {
  const parsed = trialLabelDraftSchema.safeParse(await readJson(context));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".") || "The label";
  throw new UsageError(`The label is not valid: ${where}: ${issue?.message ?? "unknown problem"}.`);
}

async function readJson(context: Context): Promise<unknown> {
  const text = await context.req.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError("The label is not JSON.", { cause });
  }
}
