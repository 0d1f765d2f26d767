import { createHash, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { findIntrusion } from "../utils/find-intrusion.js";

/** Who may ask, and under which names the server answers. */
export interface GuardOptions {
  /** What every request must bring; null where only this machine can ask. */
  token: string | null;
  /** Host names that the server is reached by; null for any. */
  hosts: ReadonlySet<string> | null;
}

/** The page loads its own files and nothing else; its texts are of models, and must not be able to do anything. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": POLICY,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-cache",
};

/** Says on every answer what it may be used for. */
export const safeHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  for (const [name, value] of Object.entries(HEADERS)) context.res.headers.set(name, value);
};

/**
 * Refuses whoever has no business here: pages of other sites that reach this machine by a name of their own, and, where
 * there is a token, those who do not have it. A token in the address is exchanged for a cookie, and the address cleaned.
 */
export function guard({ token, hosts }: GuardOptions): MiddlewareHandler {
  const cookie = cookieOf(token ?? "");
  return async (context, next) => {
    const intrusion = findIntrusion((name) => context.req.header(name), hosts);
    if (intrusion !== null) return refuse(context, intrusion.status, intrusion.message);
    if (token === null) return next();
    const given = context.req.query("token");
    if (given !== undefined && isSame(given, token)) return admit(context, cookie, token);
    const known = bearerOf(context.req.header("authorization")) ?? getCookie(context, cookie);
    if (known !== undefined && isSame(known, token)) return next();
    return refuse(
      context,
      401,
      "This server asks for its token: open it with ?token=… as `assay serve` has printed it.",
    );
  };
}

function refuse(context: Context, status: 401 | 403 | 421, error: string): Response {
  return context.json({ error }, status);
}

function admit(context: Context, cookie: string, token: string): Response {
  setCookie(context, cookie, token, { httpOnly: true, sameSite: "Strict", path: "/" });
  const url = new URL(context.req.url);
  url.searchParams.delete("token");
  // An address that begins with two slashes is one of another server.
  return context.redirect(`${url.pathname.replace(/^\/+/, "/")}${url.search}`);
}

/** Browsers give a cookie to all ports of a machine: a second server must not take away the token of the first. */
function cookieOf(token: string): string {
  return `assay-token-${digestOf(token).toString("hex").slice(0, 8)}`;
}

function bearerOf(header: string | undefined): string | undefined {
  return header?.match(/^Bearer (.+)$/i)?.[1];
}

/** In the same time whatever differs, so that a token cannot be guessed letter by letter. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(token));
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
