import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface StoredComment {
  id: number;
  body: string;
  user: { login: string };
}

interface GithubServerOptions {
  /** The user of the token; null if it may not ask, like the token of a workflow. */
  login?: string | null;
  comments?: readonly StoredComment[];
  /** Answers a request of this form, such as `POST /repos/o/r/issues/7/comments`, with this status. */
  failing?: Readonly<Record<string, number>>;
}

const TOKEN = "secret-token-of-the-test";

/** A local server that behaves like the comments part of the GitHub REST API, with pages of at most 100 comments. */
export class GithubServer {
  readonly token = TOKEN;
  readonly comments: StoredComment[];
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #options: GithubServerOptions;

  private constructor(options: GithubServerOptions) {
    this.#options = options;
    this.comments = [...(options.comments ?? [])];
    this.#server = createServer((request, response) => {
      void this.#answer(request).then(({ status, body, location }) => {
        response.writeHead(status, {
          "content-type": "application/json",
          ...(location === undefined ? {} : { location }),
        });
        response.end(JSON.stringify(body));
      });
    });
  }

  static async start(options: GithubServerOptions = {}): Promise<GithubServer> {
    const started = new GithubServer(options);
    await new Promise<void>((resolve) => started.#server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void started.#server.close());
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: unknown; location?: string }> {
    const url = new URL(request.url ?? "/", this.url);
    const asked = `${request.method} ${url.pathname}`;
    this.requests.push(`${asked}${url.search}`);
    const sent = await text(request);
    if (request.headers.authorization !== `Bearer ${this.token}`)
      return { status: 401, body: { message: "Bad credentials" } };
    const failing = this.#options.failing?.[asked];
    if (failing !== undefined)
      return {
        status: failing,
        body: { message: `refused with ${failing}` },
        location: "http://127.0.0.1:9/elsewhere",
      };
    if (asked === "GET /user") return this.#answerUser();
    if (/^GET \/repos\/o\/r\/issues\/7\/comments$/.test(asked)) return { status: 200, body: this.#listPage(url) };
    const { body = "" } = JSON.parse(sent || "{}") as { body?: string };
    if ([...body].length > 65_536) return { status: 422, body: { message: "Body is too long" } };
    if (/^POST \/repos\/o\/r\/issues\/7\/comments$/.test(asked)) {
      const comment = { id: this.comments.length + 1, body, user: { login: this.#login } };
      this.comments.push(comment);
      return { status: 201, body: comment };
    }
    const id = Number(/^PATCH \/repos\/o\/r\/issues\/comments\/(\d+)$/.exec(asked)?.[1]);
    const known = this.comments.find((comment) => comment.id === id);
    if (known === undefined) return { status: 404, body: { message: "Not Found" } };
    if (known.user.login !== this.#login) return { status: 403, body: { message: "Not yours" } };
    known.body = body;
    return { status: 200, body: known };
  }

  get #login(): string {
    return this.#options.login ?? "github-actions[bot]";
  }

  #answerUser() {
    const { login = null } = this.#options;
    return login === null
      ? { status: 403, body: { message: "Resource not accessible by integration" } }
      : { status: 200, body: { login } };
  }

  #listPage({ searchParams }: URL): StoredComment[] {
    const size = Math.min(100, Number(searchParams.get("per_page") ?? 30));
    const start = (Number(searchParams.get("page") ?? 1) - 1) * size;
    return this.comments.slice(start, start + size);
  }
}
