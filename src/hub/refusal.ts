import { type AssayError, DatasetError } from "../core/errors.js";
import { HubError } from "./errors.js";

/** What a request is about, for messages. */
export interface Subject {
  readonly repo: string;
  readonly revision?: string;
  readonly path?: string;
}

interface Refused {
  readonly status: number;
  readonly headers: Headers;
  readonly about: Subject;
  readonly endpoint: string;
  /** Whether a token was sent, is there but was kept back, or is not there. */
  readonly token: "sent" | "kept back" | "none";
}

/** What a status of the hub itself means, and what to do about it. */
export function refusal(refused: Refused): AssayError {
  const code = refused.headers.get("x-error-code");
  if (code === "GatedRepo") return gated(refused);
  if (code === "RepoNotFound") return noRepo(refused);
  if (code === "RevisionNotFound") return noRevision(refused);
  if (code === "EntryNotFound") return noFile(refused);
  if (refused.status === 401) return refused.token === "sent" ? badToken(refused) : wantsToken(refused);
  if (refused.status === 403) return forbidden(refused);
  if (refused.status === 404) return noRepo(refused);
  return new HubError(`${host(refused)} answered ${refused.status} for ${refused.about.repo}${reason(refused)}.`);
}

function gated({ about, endpoint, token }: Refused): AssayError {
  const page = `${endpoint}/datasets/${about.repo}`;
  const then = token === "sent" ? "with the account that HF_TOKEN belongs to" : `and set HF_TOKEN${keptBack(token)}`;
  return new DatasetError(`${about.repo} is gated. Open ${page}, accept its terms, ${then}; then run again.`);
}

function noRepo(refused: Refused): AssayError {
  const { about, token } = refused;
  const hint = token === "sent" ? "that HF_TOKEN may read it" : `set HF_TOKEN if it is private${keptBack(token)}`;
  return new DatasetError(`There is no dataset ${about.repo} on ${host(refused)}. Check its name, or ${hint}.`);
}

/** The repository is there, but not the branch, tag or commit. */
export class RevisionMissing extends DatasetError {}

function noRevision({ about }: Refused): AssayError {
  return new RevisionMissing(
    `${about.repo} has no revision "${about.revision ?? "main"}". Give a branch, a tag or a commit of it.`,
  );
}

function noFile({ about }: Refused): AssayError {
  return new DatasetError(`${about.repo} has no file "${about.path ?? ""}" at ${about.revision ?? "main"}.`);
}

function badToken(refused: Refused): AssayError {
  return new DatasetError(
    `${host(refused)} does not accept the token. Make a new one there, under Settings, and put it into HF_TOKEN; public datasets need none.`,
  );
}

function wantsToken(refused: Refused): AssayError {
  const { about, token } = refused;
  return new DatasetError(`${host(refused)} asks for a token to read ${about.repo}. Set HF_TOKEN${keptBack(token)}.`);
}

function forbidden(refused: Refused): AssayError {
  return new DatasetError(
    `${host(refused)} does not let this account read ${refused.about.repo}${reason(refused)}. Give HF_TOKEN the right to read it, or ask its owner.`,
  );
}

function keptBack(token: Refused["token"]): string {
  return token === "kept back" ? " (there is one, but it is not sent over plain http: use an https address)" : "";
}

/** The hub's own words, so far as they are words. */
function reason({ headers }: Refused): string {
  const message =
    headers
      .get("x-error-message")
      ?.replace(/[^\x20-\x7e]/g, " ")
      .slice(0, 200)
      .replace(/\.$/, "") ?? "";
  return message === "" ? "" : ` (${message})`;
}

function host({ endpoint }: Refused): string {
  return new URL(endpoint).host;
}
