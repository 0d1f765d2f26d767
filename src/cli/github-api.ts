import { AssayError, EXIT } from "../core/index.js";
import { toOneLine } from "../report/index.js";

/** GitHub did not do what was asked. Never contains the token. */
export class GithubApiError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("GITHUB_API", message, { ...options, exitCode: EXIT.infrastructure });
  }
}

interface GithubApiOptions {
  /** Without a slash at the end. */
  baseUrl: string;
  token: string;
}

interface IssuePlace {
  /** `owner/name`. */
  repository: string;
  number: number;
}

interface CommentSearch extends IssuePlace {
  /** Only comments of this user count: anybody can write the marker. */
  author: string;
  marker: string;
}

interface ApiComment {
  id: number;
  body?: string | null;
  user?: { login?: string } | null;
}

/** The comments of a workflow are written by this user. */
const ACTIONS_LOGIN = "github-actions[bot]";
const PAGE_SIZE = 100;
const MAX_PAGES = 50;
const TIMEOUT_MS = 15_000;
const MAX_SAID_CHARS = 200;

/** The few calls of the GitHub REST API that a pull request comment needs. */
export class GithubApi {
  readonly #baseUrl: string;
  readonly #token: string;

  constructor({ baseUrl, token }: GithubApiOptions) {
    this.#baseUrl = baseUrl;
    this.#token = token;
  }

  /** The user that the token belongs to. The token of a workflow may not ask, and belongs to the actions bot. */
  async getLogin(): Promise<string> {
    const { status, body } = await this.#call("GET", "/user", [200, 403, 404]);
    const { login } = (body ?? {}) as { login?: unknown };
    return status === 200 && typeof login === "string" ? login : ACTIONS_LOGIN;
  }

  /** The id of the author's first comment that begins with the marker; null if there is none. */
  async findComment({ repository, number, author, marker }: CommentSearch): Promise<number | null> {
    for (let page = 1; page <= MAX_PAGES; page++) {
      const path = `/repos/${repository}/issues/${number}/comments?per_page=${PAGE_SIZE}&page=${page}`;
      const { body } = await this.#call("GET", path, [200]);
      const comments = Array.isArray(body) ? (body as ApiComment[]) : [];
      const own = comments.find(({ user, body: text }) => user?.login === author && text?.startsWith(marker) === true);
      if (own !== undefined) return own.id;
      if (comments.length < PAGE_SIZE) return null;
    }
    return null;
  }

  /** False if it was deleted meanwhile. */
  async updateComment(repository: string, id: number, text: string): Promise<boolean> {
    const { status } = await this.#call("PATCH", `/repos/${repository}/issues/comments/${id}`, [200, 404], text);
    return status === 200;
  }

  async createComment({ repository, number, body }: IssuePlace & { body: string }): Promise<void> {
    await this.#call("POST", `/repos/${repository}/issues/${number}/comments`, [201], body);
  }

  async #call(
    method: string,
    path: string,
    accepted: readonly number[],
    text?: string,
  ): Promise<{ status: number; body: unknown }> {
    const asked = `${method} ${path.replace(/\?.*/, "")}`;
    const response = await this.#send(asked, { method, path, text });
    const said = await response.text().catch(() => "");
    const body = parseJson(said);
    if (accepted.includes(response.status)) return { status: response.status, body };
    const { message } = (body ?? {}) as { message?: unknown };
    const why = typeof message === "string" ? `: ${toOneLine(message).slice(0, MAX_SAID_CHARS)}` : "";
    const hint = response.status === 403 ? ". The job needs the permission pull-requests: write" : "";
    throw new GithubApiError(`GitHub answered ${asked} with ${response.status}${why}${hint}`);
  }

  async #send(
    asked: string,
    { method, path, text }: { method: string; path: string; text: string | undefined },
  ): Promise<Response> {
    try {
      return await fetch(`${this.#baseUrl}${path}`, {
        method,
        headers: {
          accept: "application/vnd.github+json",
          authorization: `Bearer ${this.#token}`,
          "user-agent": "assay",
          "x-github-api-version": "2022-11-28",
          ...(text === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(text === undefined ? {} : { body: JSON.stringify({ body: text }) }),
        // A redirect could lead to another host, which must not get the token.
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (cause) {
      const why =
        cause instanceof Error && cause.name === "TimeoutError" ? "no answer in time" : "it cannot be reached";
      throw new GithubApiError(`${asked} failed: ${why}`, { cause });
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
