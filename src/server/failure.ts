import type { Context } from "hono";
import { AssayError, messageOf, RunFolderError, UsageError } from "../core/errors.js";

/** What went wrong, in words, for the page to show. */
export function failure(context: Context, error: unknown): Response {
  return context.json({ error: messageOf(error) }, statusOf(error));
}

function statusOf(error: unknown): 400 | 404 | 422 | 500 {
  if (error instanceof RunFolderError) return 404;
  if (error instanceof UsageError) return 400;
  return error instanceof AssayError ? 422 : 500;
}
