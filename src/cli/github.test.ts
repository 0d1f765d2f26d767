import { describe, expect, it } from "vitest";
import { formatCommentMarker } from "../report/index.js";
import { GithubServer, type StoredComment } from "../testing/github-server.js";
import { TempProject } from "../testing/temp-project.js";
import { type GithubReport, isForkPullRequest, publishToGithub } from "./github.js";

const TITLE = "needle: 2 systems";
const MARKER = formatCommentMarker(TITLE);
const BOT = "github-actions[bot]";

function report(more: Partial<GithubReport> = {}): GithubReport {
  const markdown = `${MARKER}\n\n### ❌ needle\n`;
  return { title: TITLE, runDir: "runs/a", verdict: { exitCode: 1, words: "failed" }, problems: [], markdown, ...more };
}

/** A workflow of pull request 7. */
function workflow(server: GithubServer | null, env: Record<string, string> = {}) {
  const space = new TempProject({ "event.json": JSON.stringify({ pull_request: { number: 7 } }) });
  const notes: string[] = [];
  return {
    space,
    notes,
    publish: (what: GithubReport) =>
      publishToGithub(what, {
        env: {
          GITHUB_STEP_SUMMARY: space.path("summary.md"),
          GITHUB_OUTPUT: space.path("output"),
          GITHUB_EVENT_PATH: space.path("event.json"),
          GITHUB_REPOSITORY: "o/r",
          ...(server === null ? {} : { GITHUB_API_URL: server.url, GITHUB_TOKEN: server.token }),
          ...env,
        },
        onNote: (note) => notes.push(note),
      }),
  };
}

function comment(id: number, body: string, login = BOT): StoredComment {
  return { id, body, user: { login } };
}

describe("the pull request comment", () => {
  it("is created once, then updated", async () => {
    const server = await GithubServer.start();
    const { publish, notes } = workflow(server);
    await publish(report());
    await publish(report({ markdown: `${MARKER}\n\nsecond` }));
    expect(server.comments).toEqual([comment(1, `${MARKER}\n\nsecond`)]);
    expect(notes.filter((note) => note.includes("#7"))).toEqual([
      "Commented on pull request #7.",
      "Updated the comment on pull request #7.",
    ]);
  });

  it("is found on a later page, among comments of others with the same marker", async () => {
    const others = Array.from({ length: 250 }, (_, i) => comment(i + 1, `${MARKER} mine, they say`, `user${i}`));
    const own = comment(251, `${MARKER}\n\nold`);
    const quoted = comment(252, `> ${MARKER}\n\nquoted by the bot`);
    const server = await GithubServer.start({ comments: [...others, own, quoted] });
    await workflow(server).publish(report());
    expect(server.comments).toHaveLength(252);
    expect(server.comments[250]?.body).toContain("### ❌ needle");
    expect(server.comments.filter(({ body }) => body.includes("### ❌"))).toHaveLength(1);
    expect(server.requests.filter((asked) => asked.includes("page="))).toHaveLength(3);
  });

  it("is found when a page is exactly full", async () => {
    const comments = Array.from({ length: 100 }, (_, i) => comment(i + 1, "x", "somebody"));
    const server = await GithubServer.start({ comments });
    await workflow(server).publish(report());
    expect(server.comments).toHaveLength(101);
  });

  it("is the token's own: of the user it belongs to, or of a given author", async () => {
    const comments = [comment(1, `${MARKER} bot`), comment(2, `${MARKER} mine`, "me")];
    const server = await GithubServer.start({ login: "me", comments });
    await workflow(server).publish(report());
    expect(server.comments.map(({ body }) => body.includes("###"))).toEqual([false, true]);
    const app = await GithubServer.start({ login: "my-app[bot]", comments: [comment(1, MARKER, "my-app[bot]")] });
    await workflow(app, { ASSAY_COMMENT_AUTHOR: "my-app[bot]" }).publish(report());
    expect(app.comments).toHaveLength(1);
  });

  it("is created anew if it was deleted meanwhile", async () => {
    const failing = { "PATCH /repos/o/r/issues/comments/1": 404 };
    const server = await GithubServer.start({ comments: [comment(1, MARKER)], failing });
    await workflow(server).publish(report());
    expect(server.comments).toHaveLength(2);
  });

  it("is cut if it is too long, at the end of a line and with folds closed", async () => {
    const server = await GithubServer.start();
    const markdown = `${MARKER}\n\n<details>\n\n${"a line of text 🙂\n".repeat(8000)}</details>\n`;
    const { publish, space } = workflow(server);
    await publish(report({ markdown }));
    const { body = "" } = server.comments[0] ?? {};
    expect(body.length).toBeLessThanOrEqual(65_536);
    expect(body).toMatch(/a line of text 🙂\n\n<\/details>\n\n\*\*This report was cut/u);
    expect(space.read("summary.md")).toBe(markdown);
  });

  it.each([401, 403, 404, 422, 500, 503, 302])("that GitHub refuses with %s is a note", async (status) => {
    const server = await GithubServer.start({ failing: { "POST /repos/o/r/issues/7/comments": status } });
    const { publish, notes } = workflow(server);
    await publish(report());
    const last = notes.at(-1) ?? "";
    expect(last).toContain(
      `No pull request comment was written: GitHub answered POST /repos/o/r/issues/7/comments with ${status}`,
    );
    expect(last.includes("pull-requests: write")).toBe(status === 403);
    expect(notes.join("\n")).not.toContain(server.token);
  });

  it("needs a token, a pull request and a safe address, and says what is missing", async () => {
    const server = await GithubServer.start();
    const told = async (env: Record<string, string>) => {
      const { publish, notes, space } = workflow(server, env);
      await publish(report());
      expect(space.read("summary.md")).toContain("### ❌ needle");
      return notes.at(-1);
    };
    expect(await told({ GITHUB_TOKEN: "" })).toContain("GITHUB_TOKEN is not set");
    expect(await told({ GITHUB_EVENT_PATH: "" })).toBe("This is not a pull request, so no comment is written.");
    expect(await told({ GITHUB_EVENT_PATH: "/nowhere" })).toBe("This is not a pull request, so no comment is written.");
    expect(await told({ GITHUB_API_URL: "http://example.com" })).toContain("GITHUB_API_URL is not an https address");
    expect(await told({ GITHUB_API_URL: "nonsense" })).toContain("GITHUB_API_URL is not an https address");
    expect(await told({ GITHUB_API_URL: "http://127.0.0.1:9" })).toContain("it cannot be reached");
    expect(await told({ GITHUB_REPOSITORY: "o/r/../../x" })).toContain("GITHUB_REPOSITORY is");
    expect(await told({ GITHUB_TOKEN: "wrong" })).toContain("with 401: Bad credentials");
    expect(server.comments).toEqual([]);
    expect(await told({ GITHUB_EVENT_PATH: "", GITHUB_REF: "refs/pull/7/merge" })).toContain("#7");
  });
});

describe("a workflow", () => {
  it("gets annotations that text cannot break, and outputs that a value cannot add to", async () => {
    const { publish, notes, space } = workflow(null);
    const words = "a\nrun=evil\nexit-code<<x\n0\nx";
    await publish(report({ title: "a: b, c", problems: ["50%\n::set-env::x"], verdict: { exitCode: 1, words } }));
    expect(notes[0]).toBe("::error title=a%3A b%2C c::50%25 ::set-env::x");
    const outputs = space.read("output").matchAll(/^([\w-]+)<<(end-[\w-]{36})\n([\s\S]*?)\n\2$/gm);
    expect(Array.from(outputs, ([, name, , value]) => [name, value])).toEqual([
      ["run", "runs/a"],
      ["exit-code", "1"],
      ["exit-reason", words],
    ]);
  });

  it("is warned of problems that fail nothing, and told the reason of a failure without one", async () => {
    const { publish, notes } = workflow(null);
    await publish(report({ problems: ["lower"], verdict: { exitCode: 0, words: "fine" } }));
    await publish(report({ verdict: { exitCode: 130, words: "interrupted" } }));
    expect(notes.filter((note) => note.startsWith("::"))).toEqual([
      "::warning title=needle%3A 2 systems::lower",
      "::error title=needle%3A 2 systems::interrupted",
    ]);
  });

  it("that is none gets notes", async () => {
    const notes: string[] = [];
    await publishToGithub(report(), { env: {}, onNote: (note) => notes.push(note) });
    expect(notes.join("\n")).toMatch(/GITHUB_STEP_SUMMARY is not set[\s\S]*GITHUB_OUTPUT is not set/);
  });
});

describe("isForkPullRequest", () => {
  const branch = (name: string | null) => ({ repo: name === null ? null : { full_name: name } });

  it.each([
    ["a push", {}, false],
    ["a branch of the repository", { pull_request: { head: branch("o/r"), base: branch("o/r") } }, false],
    ["a fork", { pull_request: { head: branch("evil/r"), base: branch("o/r") } }, true],
    ["a deleted fork", { pull_request: { head: branch(null), base: branch("o/r") } }, true],
    ["an event without repositories", { pull_request: {} }, true],
    ["an event without a pull request", { pull_request: null }, false],
    ["a workflow after one of this repository", { workflow_run: { head_repository: { full_name: "o/r" } } }, false],
    ["a workflow after one of a fork", { workflow_run: { head_repository: { full_name: "evil/r" } } }, true],
    ["a workflow after one of a deleted fork", { workflow_run: { head_repository: null } }, true],
  ])("%s", (_, event, isFork) => {
    expect(isForkPullRequest(event, { GITHUB_REPOSITORY: "o/r" })).toBe(isFork);
  });

  it("is true if a workflow for pull requests has no event that can be read", () => {
    for (const name of ["pull_request", "pull_request_target"])
      expect(isForkPullRequest({}, { GITHUB_REPOSITORY: "o/r", GITHUB_EVENT_NAME: name })).toBe(true);
    expect(isForkPullRequest({ pull_request: {} }, {})).toBe(true);
  });
});
