import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { evaluate } from "../evaluate.js";
import { AnswerQuality } from "../evaluators/index.js";
import { loadRun } from "../runs/index.js";
import { readManifest } from "../store/index.js";
import { type RunningServer, type ServerOptions, startServer } from "./start-server.js";

let dir = "";
let id = "";
let server: RunningServer | null = null;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "assay-labels-"));
  mkdirSync(join(dir, "page"));
  for (const file of ["index.html", "app.js", "app.css"]) writeFileSync(join(dir, "page", file), `the ${file}`);
  const { runDir } = await evaluate({
    systems: [{ name: "parrot", process: () => ({ response: "Paris" }) }],
    dataset: ["Paris", "Rome"].map((answer, i) => ({ id: i + 1, question: "Capital?", answer })),
    evaluators: [new AnswerQuality()],
    runsDir: join(dir, "runs"),
  });
  id = readManifest(runDir ?? "").runId;
});

afterEach(async () => {
  await server?.close();
  server = null;
  rmSync(dir, { recursive: true, force: true });
});

async function start(options: Partial<ServerOptions> = {}): Promise<void> {
  const usual = { runsDir: join(dir, "runs"), load: loadRun, pageDir: join(dir, "page"), host: "127.0.0.1", port: 0 };
  server = await startServer({ ...usual, token: null, label: { labeler: "Ann" }, ...options });
}

const LABEL = {
  system: "parrot",
  dataset: "",
  exampleId: 2,
  trial: 0,
  verdict: "right",
  note: "also right",
  tags: ["odd"],
  blind: false,
};

/** What a browser sends for a form of another site, without asking the server first. */
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const MULTIPART = { "content-type": "multipart/form-data; boundary=part" };
const MULTIPART_BODY = `--part\r\nContent-Disposition: form-data; name="label"\r\n\r\n${JSON.stringify(LABEL)}\r\n--part--\r\n`;

const makeTags = (count: number) => Array.from({ length: count }, (_, place) => `tag-${place}`);

const at = (path: string) => `${server?.url}${path}`;
const file = () => join(dir, "runs", id, "labels.jsonl");

async function getToken(headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(at("api/label-access"), { headers });
  return ((await response.json()) as { writeToken: string }).writeToken;
}

interface Attempt {
  headers?: Record<string, string | undefined>;
  body?: string;
  run?: string;
  token?: string;
}

/** Sends a label as the page does, except for what is given. */
async function post({ headers = {}, body = JSON.stringify(LABEL), run = id, token }: Attempt = {}) {
  const { origin } = new URL(at(""));
  const usual = { origin, "content-type": "application/json", "x-assay-write-token": token ?? (await getToken()) };
  const sent = Object.entries({ ...usual, ...headers }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const response = await fetch(at(`api/runs/${run}/labels`), {
    method: "POST",
    headers: Object.fromEntries(sent),
    body,
  });
  // biome-ignore lint/suspicious/noExplicitAny: what comes is what is tested.
  return { status: response.status, answer: (await response.json()) as any };
}

describe("labels over HTTP", () => {
  it("are written with who and when, and compared with the verdicts", async () => {
    await start();
    const [dataset = ""] = [readManifest(join(dir, "runs", id)).config.datasets[0]?.name];
    const body = JSON.stringify({ ...LABEL, dataset });
    const { status, answer } = await post({ body });
    expect([status, answer.error]).toEqual([200, undefined]);
    expect(answer.labels).toMatchObject([{ ...LABEL, dataset, labeler: "Ann" }]);
    expect(answer.agreement).toMatchObject({ rightFailed: 1, differing: [{ exampleId: 2 }] });
    expect(JSON.parse(readFileSync(file(), "utf8"))).toMatchObject({ schema: "assay.trial-label/1", verdict: "right" });
    expect(await (await fetch(at(`api/runs/${id}/labels`))).json()).toEqual(answer);
  });

  it("may have twenty tags of 64 characters", async () => {
    await start();
    const [dataset = ""] = [readManifest(join(dir, "runs", id)).config.datasets[0]?.name];
    const tags = makeTags(20).map((tag) => tag.padEnd(64, "x"));
    expect(await post({ body: JSON.stringify({ ...LABEL, dataset, tags }) })).toMatchObject({
      status: 200,
      answer: { labels: [{ tags }] },
    });
  });

  it("are refused by a server without --label, which gives no token", async () => {
    await start({ label: null });
    expect(await getToken()).toBeNull();
    expect(await post({ token: "guess" })).toMatchObject({
      status: 405,
      answer: { error: expect.stringContaining("assay serve --label") },
    });
    expect(existsSync(file())).toBe(false);
  });

  it.each<[string, Attempt, number, string]>([
    ["another site", { headers: { origin: "https://evil.example" } }, 403, "other sites"],
    ["another server of this machine", { headers: { origin: "http://127.0.0.1:1" } }, 403, "page of this server"],
    ["no origin", { headers: { origin: undefined } }, 403, "page of this server"],
    ["a frame without an origin", { headers: { origin: "null" } }, 403, "other sites"],
    ["another site of the same host", { headers: { "sec-fetch-site": "same-site" } }, 403, "page of this server"],
    ["no write token", { headers: { "x-assay-write-token": undefined } }, 403, "write token"],
    ["a wrong write token", { token: "guess" }, 403, "write token"],
    ["a form", { headers: { "content-type": "text/plain" } }, 415, "application/json"],
    ["an urlencoded form", { headers: FORM, body: "verdict=right&trial=0" }, 415, "application/json"],
    ["a multipart form", { headers: MULTIPART, body: MULTIPART_BODY }, 415, "application/json"],
    ["a large body", { body: JSON.stringify({ ...LABEL, note: "x".repeat(70_000) }) }, 413, "larger than"],
    ["text that is not JSON", { body: "{" }, 400, "not JSON"],
    ["a long note", { body: JSON.stringify({ ...LABEL, note: "x".repeat(5000) }) }, 400, "longer than 4000"],
    ["a long tag", { body: JSON.stringify({ ...LABEL, tags: ["x".repeat(65)] }) }, 400, "tags.0: is longer than 64"],
    ["too many tags", { body: JSON.stringify({ ...LABEL, tags: makeTags(21) }) }, 400, "tags: are more than 20"],
    ["an unknown verdict", { body: JSON.stringify({ ...LABEL, verdict: "maybe" }) }, 400, "verdict"],
    ["an unknown field", { body: JSON.stringify({ ...LABEL, labeler: "Eve" }) }, 400, "labeler"],
    ["an unknown trial", { body: JSON.stringify({ ...LABEL, trial: 7 }) }, 404, "has no trial 7"],
    ["an unknown run", { run: "none" }, 404, "No run none"],
    ["a path out of the folder", { run: "..%2f.." }, 404, "No run"],
  ])("are refused from %s", async (_, attempt, status, words) => {
    await start();
    expect(await post(attempt)).toEqual({ status, answer: { error: expect.stringContaining(words) } });
    expect(existsSync(file())).toBe(false);
  });

  it("are not written into a damaged run or through a link", async () => {
    mkdirSync(join(dir, "runs", "broken"));
    writeFileSync(join(dir, "runs", "broken", "manifest.json"), "{");
    await start();
    expect(await post({ run: "broken" })).toMatchObject({ status: 404 });
    const outside = join(dir, "outside.txt");
    writeFileSync(outside, "mine");
    symlinkSync(outside, file());
    const [dataset = ""] = [readManifest(join(dir, "runs", id)).config.datasets[0]?.name];
    const { status, answer } = await post({ body: JSON.stringify({ ...LABEL, dataset }) });
    expect([status, answer.error]).toEqual([404, expect.stringContaining("cannot be written")]);
    expect(readFileSync(outside, "utf8")).toBe("mine");
  });

  it("need the token of the server too, and the write token goes only to its own page", async () => {
    await start({ token: "a good token" });
    const authorization = "Bearer a good token";
    expect((await fetch(at("api/label-access"))).status).toBe(401);
    for (const site of ["cross-site", "same-site", "none"])
      expect((await fetch(at("api/label-access"), { headers: { authorization, "sec-fetch-site": site } })).status).toBe(
        403,
      );
    const token = await getToken({ authorization });
    expect(await post({ token })).toMatchObject({ status: 401 });
    const [dataset = ""] = [readManifest(join(dir, "runs", id)).config.datasets[0]?.name];
    const body = JSON.stringify({ ...LABEL, dataset });
    expect(await post({ token, headers: { authorization }, body })).toMatchObject({ status: 200 });
  });

  it("answer no other method", async () => {
    await start();
    for (const method of ["PUT", "PATCH", "DELETE"])
      expect((await fetch(at(`api/runs/${id}/labels`), { method })).status).toBe(404);
  });
});
