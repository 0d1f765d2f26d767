import type { IncomingMessage } from "node:http";
import type { RepoPlan, ScriptedFile, ScriptedRepos } from "./scripted-repos.js";

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
