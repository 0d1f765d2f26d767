import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";

export interface RepoPlan {
  /** By branch or tag, e.g. `main` and `refs/convert/parquet`. */
  readonly revisions: Record<string, { files: Record<string, Uint8Array> }>;
  /** True if files require an accepted token. */
  readonly isGated?: boolean;
  /** True if the repository is hidden without the token. */
  readonly isPrivate?: boolean;
  /** The token for a gated or private repository. */
  readonly token?: string;
  /** New name: every request is redirected there. */
  readonly movedTo?: string;
}

/** A file with the hub's metadata. */
interface ScriptedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isLarge: boolean;
  readonly sha256: string;
  /** Hash of the content, or of the pointer to a large file. */
  readonly oid: string;
}

interface ReposPlan {
  readonly repos: Record<string, RepoPlan>;
  readonly isLarge?: (path: string, size: number) => boolean;
}

/** The repositories of a scripted hub, with commits and hashes computed from their files. */
export class ScriptedRepos {
  readonly #plan: ReposPlan;
  readonly #hashes = new WeakMap<Uint8Array, { sha256: string; gitSha1: string }>();

  constructor(plan: ReposPlan) {
    this.#plan = plan;
  }

  find(repo: string): RepoPlan | undefined {
    return Object.hasOwn(this.#plan.repos, repo) ? this.#plan.repos[repo] : undefined;
  }

  /** The files of a branch, tag or commit, by path; undefined for an unknown revision. */
  files(repo: string, revision: string): { commit: string; files: readonly ScriptedFile[] } | undefined {
    const revisions = this.find(repo)?.revisions ?? {};
    const name = Object.keys(revisions).find((each) => each === revision || this.#commit(repo, each) === revision);
    if (name === undefined) return undefined;
    return { commit: this.#commit(repo, name), files: this.#files(repo, name) };
  }

  getCommit(repo: string, revision: string): string {
    const found = this.files(repo, revision);
    if (found === undefined) throw new Error(`the scripted hub has no ${repo} at ${revision}`);
    return found.commit;
  }

  findBySha256(sha256: string): ScriptedFile | undefined {
    for (const [repo, { revisions }] of Object.entries(this.#plan.repos)) {
      for (const revision of Object.keys(revisions)) {
        const file = this.#files(repo, revision).find((each) => each.sha256 === sha256);
        if (file !== undefined) return file;
      }
    }
    return undefined;
  }

  #files(repo: string, revision: string): ScriptedFile[] {
    const files = this.find(repo)?.revisions[revision]?.files ?? {};
    const paths = Object.keys(files).sort();
    return paths.map((path) => this.#describe(path, files[path] ?? new Uint8Array()));
  }

  #describe(path: string, bytes: Uint8Array): ScriptedFile {
    const isLarge = (this.#plan.isLarge ?? isLargeByDefault)(path, bytes.length);
    const { sha256, gitSha1 } = this.#getHashes(bytes);
    const oid = isLarge ? computeGitSha1(Buffer.from(`oid sha256:${sha256}\nsize ${bytes.length}\n`)) : gitSha1;
    return { path, bytes, isLarge, sha256, oid };
  }

  #getHashes(bytes: Uint8Array): { sha256: string; gitSha1: string } {
    const known = this.#hashes.get(bytes);
    if (known !== undefined) return known;
    const made = { sha256: createHash("sha256").update(bytes).digest("hex"), gitSha1: computeGitSha1(bytes) };
    this.#hashes.set(bytes, made);
    return made;
  }

  #commit(repo: string, revision: string): string {
    const files = this.#files(repo, revision).map(({ path, sha256 }) => [path, sha256]);
    return createHash("sha1").update(JSON.stringify(files)).digest("hex");
  }
}

function isLargeByDefault(path: string, size: number): boolean {
  return /\.(?:parquet|gz)$/.test(path) || size >= 64 * 1024;
}

function computeGitSha1(bytes: Uint8Array): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** A reply before faults are applied. */
export interface HubReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** True if the body is a file, which may be requested in ranges. */
  readonly isContent?: boolean;
}

interface ScriptedSite {
  readonly repos: ScriptedRepos;
  readonly storeUrl: string;
  readonly pageSize: number;
}

/** A request to a repository: what follows its name in the URL. */
interface RepoRequest {
  readonly repo: string;
  readonly plan: RepoPlan;
  readonly verb: string;
  readonly rest: readonly string[];
  readonly url: URL;
  readonly isApi: boolean;
}

const REPO_ACTIONS = new Set(["revision", "tree", "resolve"]);

export function createHubReply(request: IncomingMessage, site: ScriptedSite): HubReply {
  const url = new URL(request.url ?? "/", "http://hub");
  const parts = url.pathname.split("/").slice(1);
  const isApi = parts[0] === "api";
  const [kind, ...names] = isApi ? parts.slice(1) : parts;
  if (kind !== "datasets") return createErrorReply(404, "", "Not Found");
  const length = names.findIndex((name, at) => at > 0 && REPO_ACTIONS.has(name));
  const repo = names.slice(0, length === -1 ? names.length : length).join("/");
  const [verb = "revision", ...rest] = length === -1 ? [] : names.slice(length);
  const plan = site.repos.find(repo);
  const refused = findAccessRefusal(request, { plan, verb, isApi });
  if (refused !== null || plan === undefined)
    return refused ?? createErrorReply(404, "RepoNotFound", "Repository not found");
  return createRepoReply({ repo, plan, verb, rest, url, isApi }, site);
}

/** Like the hub: a private repository looks missing, and a missing one asks for credentials. */
function findAccessRefusal(
  { headers }: IncomingMessage,
  { plan, verb, isApi }: { plan: RepoPlan | undefined; verb: string; isApi: boolean },
): HubReply | null {
  const token = headers.authorization?.replace("Bearer ", "");
  const isLetIn = plan?.token !== undefined && token === plan.token;
  if (token?.startsWith("bad")) {
    return createErrorReply(401, "", "Invalid credentials in Authorization header");
  }
  if (plan === undefined || (plan.isPrivate === true && !isLetIn)) {
    return createErrorReply(token === undefined ? 401 : 404, "RepoNotFound", "Repository not found");
  }
  const isOpen = plan.isGated !== true || isLetIn || (isApi && verb === "revision");
  return isOpen
    ? null
    : createErrorReply(token === undefined ? 401 : 403, "GatedRepo", "Access to dataset is restricted.");
}

function createRepoReply(question: RepoRequest, site: ScriptedSite): HubReply {
  const { plan, repo, rest, verb, url } = question;
  if (plan.movedTo !== undefined) {
    const location = `${url.pathname.replace(repo, plan.movedTo)}${url.search}`;
    return { status: 307, headers: { location }, body: new Uint8Array() };
  }
  const revision = decodeURIComponent(rest[0] ?? "main");
  const found = site.repos.files(repo, revision);
  if (found === undefined) return createErrorReply(404, "RevisionNotFound", `Invalid rev id: ${revision}`);
  if (verb === "tree") return createTreeReply(question, { files: found.files, pageSize: site.pageSize });
  if (verb === "resolve") return createResolveReply(question, { ...found, storeUrl: site.storeUrl });
  const siblings = found.files.map(({ path }) => ({ rfilename: path }));
  const gated = plan.isGated === true ? "auto" : false;
  return createJsonReply({ id: repo, sha: found.commit, private: plan.isPrivate === true, gated, siblings });
}

function createTreeReply(
  { rest, url }: RepoRequest,
  { files, pageSize }: { files: readonly ScriptedFile[]; pageSize: number },
) {
  const under = rest.slice(1).map(decodeURIComponent).join("/");
  const isRecursive = url.searchParams.get("recursive") === "true";
  const entries = [...listDirectories(files), ...files.map(toTreeEntry)]
    .filter(({ path }) => under === "" || path.startsWith(`${under}/`))
    .filter(({ path }) => isRecursive || !path.slice(under === "" ? 0 : under.length + 1).includes("/"));
  const from = Number(url.searchParams.get("cursor") ?? 0);
  const next = new URL(url);
  next.searchParams.set("cursor", String(from + pageSize));
  // Mirrors pass on the hub's own links.
  const link =
    from + pageSize < entries.length
      ? { link: `<https://huggingface.co${next.pathname}${next.search}>; rel="next"` }
      : {};
  return createJsonReply(entries.slice(from, from + pageSize), link);
}

function toTreeEntry({ path, bytes, isLarge, sha256, oid }: ScriptedFile) {
  const lfs = isLarge ? { lfs: { oid: sha256, size: bytes.length, pointerSize: 134 } } : {};
  return { type: "file", oid, size: bytes.length, path, ...lfs };
}

function listDirectories(files: readonly ScriptedFile[]) {
  const paths = files.flatMap(({ path }) => {
    const parts = path.split("/").slice(0, -1);
    return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
  });
  return [...new Set(paths)].map((path) => ({ type: "directory", oid: "0".repeat(40), size: 0, path }));
}

function createResolveReply(
  { rest, repo }: RepoRequest,
  { commit, files, storeUrl }: { commit: string; files: readonly ScriptedFile[]; storeUrl: string },
): HubReply {
  const path = rest.slice(1).map(decodeURIComponent).join("/");
  const file = files.find((each) => each.path === path);
  if (file === undefined) return createErrorReply(404, "EntryNotFound", "Entry not found", { "x-repo-commit": commit });
  const headers = { "x-repo-commit": commit };
  if (!file.isLarge) return createContentReply(file, { ...headers, etag: `"${file.oid}"` });
  const address = `${repo}/${path}`.split("/").map(encodeURIComponent).join("/");
  const location = `${storeUrl}/store/${file.sha256}/${address}?signature=valid`;
  const linked = { "x-linked-etag": `"${file.sha256}"`, "x-linked-size": String(file.bytes.length) };
  return {
    status: 302,
    headers: { ...headers, ...linked, location },
    body: Buffer.from(`Found. Redirecting to ${location}`),
  };
}

export function createStoreReply({ url = "/" }: IncomingMessage, repos: ScriptedRepos): HubReply {
  const file = repos.findBySha256(url.split("/")[2] ?? "");
  if (file === undefined) return createErrorReply(403, "", "AccessDenied");
  // Object stores use their own MD5-like tag, which differs from the hub's.
  return createContentReply(file, { etag: `"${file.sha256.slice(0, 32)}"` });
}

function createContentReply({ bytes }: ScriptedFile, headers: Record<string, string>): HubReply {
  const general = { "accept-ranges": "bytes", "content-type": "application/octet-stream" };
  return { status: 200, headers: { ...general, ...headers }, body: bytes, isContent: true };
}

function createJsonReply(value: unknown, headers: Record<string, string> = {}): HubReply {
  const type = { "content-type": "application/json; charset=utf-8" };
  return { status: 200, headers: { ...type, ...headers }, body: Buffer.from(JSON.stringify(value)) };
}

function createErrorReply(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): HubReply {
  const coded = code === "" ? {} : { "x-error-code": code };
  const body = Buffer.from(JSON.stringify({ error: message }));
  const type = { "content-type": "application/json; charset=utf-8" };
  return { status, headers: { ...type, ...coded, "x-error-message": message, ...headers }, body };
}
