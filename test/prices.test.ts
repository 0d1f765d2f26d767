import { EventEmitter, once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ScriptHandler, serveScript } from "../src/models/http/scripted-server.js";
import { runPooledAssay } from "../src/testing/cli-pool.js";
import { startMock } from "../src/testing/mock/index.js";
import { parseReport, startAssay } from "../src/testing/run-assay.js";
import { CAPITAL_EXAMPLES, TempProject } from "../src/testing/temp-project.js";

const TODAY = new Date().toISOString().slice(0, 10);
const MODELS =
  "models:\n  gpt-5: { provider: openai }\n  mine: { provider: openai, pricing: { input_per_1k: 1, output_per_1k: 1 } }\n";

/** A table as the price package publishes it. */
const makeTable = (input: number, more: object = {}) => [
  {
    id: "openai",
    name: "OpenAI",
    api_pattern: "https://api\\.openai\\.com",
    models: [
      { id: "gpt-5", match: { starts_with: "gpt-5" }, prices: { input_mtok: input, output_mtok: 2 }, ...more },
      {
        id: "o3",
        match: { equals: "o3" },
        prices: [
          { prices: { input_mtok: 10, output_mtok: 40 } },
          { constraint: { start_date: "2025-06-10" }, prices: { input_mtok: 2, output_mtok: 8 } },
        ],
      },
    ],
  },
];

const makeSpace = (files: Record<string, string> = {}) =>
  new TempProject({
    "models.yml": MODELS,
    "capitals.jsonl": CAPITAL_EXAMPLES,
    "table.json": JSON.stringify(makeTable(1)),
    ...files,
  });

async function serve(handler: ScriptHandler) {
  const server = await serveScript(handler);
  onTestFinished(() => server.close());
  return server;
}

const prices = (space: TempProject, ...args: string[]) => runPooledAssay(space.dir, "prices", ...args);

describe("assay prices update", () => {
  it("reads a file, says what changed, and is used from then on", async () => {
    const space = makeSpace();
    const done = await prices(space, "update", "table.json");
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).toMatch(
      new RegExp(
        `^\\.assay/prices\\.json: 2 models of ${TODAY} from table\\.json\n0 new, 2 with another price, \\d+ gone\n`,
      ),
    );
    expect(done.stdout).toContain("gpt-5: $1.25 in, $10 out per million tokens → $1 in, $2 out per million tokens");
    expect(done.stdout).not.toContain("mine");
    const models = JSON.parse((await runPooledAssay(space.dir, "models", "--output", "json")).stdout).models;
    expect(models[0]).toMatchObject({
      priceSource: "updated",
      priceFrom: `table.json of ${TODAY}`,
      pricesPerMillion: { input: 1 },
    });
    expect(models[1]).toMatchObject({ priceSource: "models.yml" });
    expect((await prices(space)).stdout).toContain(
      `table: table.json of ${TODAY} (.assay/prices.json), 2 models\nlock: none`,
    );
  });

  it("fetches an address, and reads its own file again", async () => {
    const server = await serve((_, response) => void response.end(JSON.stringify(makeTable(3))));
    const space = makeSpace();
    expect(await prices(space, "update", `${server.url}/data.json`)).toMatchObject({ code: 0 });
    const other = makeSpace({ "table.json": space.read(".assay", "prices.json") });
    expect(await prices(other, "update", "table.json")).toMatchObject({ code: 0 });
    expect((await prices(other)).stdout).toContain("gpt-5: $3 in, $2 out");
  });

  it.each([
    ["http://192.0.2.1/data.json", "must be a file or an https URL"],
    ["ftp://127.0.0.1/data.json", "must be a file or an https URL"],
    ["https://user:word@192.0.2.1/data.json", "contains a user name or a password"],
    ["absent.json", "The price table absent.json cannot be read"],
  ])("refuses %s", async (source, message) => {
    const space = makeSpace();
    expect(await prices(space, "update", source)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    expect(existsSync(space.path(".assay"))).toBe(false);
  });

  it.each([
    ["not JSON", "{", "it is not JSON"],
    ["another form", '{"a": 1}', "is not a price table"],
    ["no providers", "[]", "has no providers"],
    ["a negative price", JSON.stringify(makeTable(-1)), "[0].models[0].prices"],
    ["a price that is text", JSON.stringify(makeTable("1" as never)), "[0].models[0].prices"],
    ["a broken pattern", JSON.stringify(makeTable(1, { match: { regex: "(" } })), "[0].models[0].match"],
    ["a provider twice", JSON.stringify([...makeTable(1), ...makeTable(2)]), 'the provider "openai" is in it twice'],
    [
      "a wrong date",
      JSON.stringify(makeTable(1, { prices: [{ constraint: { start_date: "2026-02-30" }, prices: {} }] })),
      "prices",
    ],
  ])("refuses a table with %s, and keeps the old one", async (_, table, message) => {
    const space = makeSpace();
    await prices(space, "update", "table.json");
    const before = space.read(".assay", "prices.json");
    space.write("bad.json", table);
    const done = await prices(space, "update", "bad.json");
    expect(done).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
    expect(done.stderr).toContain("bad.json is not a price table");
    expect(space.read(".assay", "prices.json")).toBe(before);
  });

  it.each([
    ["an error", (response) => void response.writeHead(503).end(), "it answered 503"],
    ["a redirect", (response) => void response.writeHead(302, { location: "/other" }).end(), "redirect"],
    ["too much", (response) => void response.end(Buffer.alloc(33 * 1024 * 1024, " ")), "larger than the allowed"],
  ] satisfies [string, (response: Parameters<ScriptHandler>[1]) => void, string][])(
    "refuses an address that answers with %s",
    async (_, answer, message) => {
      const server = await serve((__, response) => answer(response));
      const space = makeSpace();
      const done = await prices(space, "update", `${server.url}/data.json`);
      expect(done).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
      expect(done.stderr).toContain("Nothing was changed. Without a network, use a file");
      expect(existsSync(space.path(".assay"))).toBe(false);
    },
  );

  it("keeps the old table if it is killed", async () => {
    const space = makeSpace();
    await prices(space, "update", "table.json");
    const before = space.read(".assay", "prices.json");
    const asked = new EventEmitter();
    const server = await serve((_, response) => {
      response.write(JSON.stringify(makeTable(9)).slice(0, 50));
      asked.emit("request");
    });
    const request = once(asked, "request");
    const command = startAssay(space.dir, ["prices", "update", `${server.url}/data.json`]);
    await request;
    command.child.kill("SIGKILL");
    expect(await command.finished).toMatchObject({ signal: "SIGKILL" });
    expect(readdirSync(space.path(".assay"))).toEqual(["prices.json"]);
    expect(space.read(".assay", "prices.json")).toBe(before);
  });
});

describe("assay prices pin", () => {
  it("keeps the prices of a day, and every run reads and names them", async () => {
    const mock = await startMock({ reply: "Paris" });
    onTestFinished(() => mock.close());
    const space = makeSpace();
    space.write("models.yml", `models:\n  gpt-5-turbo: { provider: openai, base_url: "${mock.url}/v1" }\n`);
    await prices(space, "update", "table.json");
    const done = await prices(space, "pin", TODAY);
    expect(done.stdout).toBe(`prices.lock: 1 price of ${TODAY} from table.json. Commit it; every run here reads it.\n`);
    expect(JSON.parse(space.read("prices.lock"))).toEqual({
      schema: "assay.prices-lock/1",
      date: TODAY,
      source: "table.json",
      prices: { "openai/gpt-5-turbo": { model: "gpt-5", by: "prefix", prices: { input_mtok: 1, output_mtok: 2 } } },
    });
    space.write("newer.json", JSON.stringify(makeTable(7)));
    expect((await prices(space, "update", "newer.json")).stdout).toContain(`prices.lock of ${TODAY} stays in force`);
    const run = await runPooledAssay(
      space.dir,
      "run",
      "--model",
      "gpt-5-turbo",
      "--dataset",
      "capitals.jsonl",
      "--output",
      "json",
    );
    const report = parseReport(run);
    expect(report.notes).toContain("price of gpt-5-turbo taken from gpt-5 (matched by prefix)");
    const manifest = JSON.parse(space.read(space.runs()[0] ?? "", "manifest.json"));
    expect(manifest.systems["gpt-5-turbo"].limits.price).toMatchObject({
      input: 1_000_000,
      source: `prices.lock of ${TODAY} (table.json)`,
      matched: { model: "gpt-5", by: "prefix" },
    });
    expect((await prices(space)).stdout).toContain("(prices.lock: openai/gpt-5, matched by prefix)");
  });

  it("says in the run which price is not pinned", async () => {
    const mock = await startMock({ reply: "Paris" });
    onTestFinished(() => mock.close());
    const space = makeSpace();
    const entry = (name: string) => `  ${name}: { provider: openai, base_url: "${mock.url}/v1" }\n`;
    space.write("models.yml", `models:\n${entry("o3")}`);
    await prices(space, "update", "table.json");
    await prices(space, "pin", TODAY);
    space.write("models.yml", `models:\n${entry("o3")}${entry("gpt-5")}`);
    const models = ["--model", "o3", "--model", "gpt-5"];
    const run = await runPooledAssay(space.dir, "run", ...models, "--dataset", "capitals.jsonl", "--output", "json");
    const notes = parseReport(run).notes.filter((note) => note.includes("prices.lock"));
    expect(notes).toEqual([`price of gpt-5 is not in prices.lock: taken from table.json of ${TODAY}`]);
  });

  it("takes an earlier day if the table says since when a price is valid", async () => {
    const space = makeSpace({ "models.yml": "models:\n  o3: { provider: openai }\n" });
    await prices(space, "update", "table.json");
    expect(await prices(space, "pin", "2025-07-01")).toMatchObject({ code: 0 });
    expect(JSON.parse(space.read("prices.lock")).prices["openai/o3"].prices.input_mtok).toBe(2);
  });

  it.each([
    ["a day before the price is known", ["2025-07-01"], "does not say that its price was valid on 2025-07-01"],
    ["a model without a price", [TODAY, "--model", "openai/nothing"], "openai/nothing: table.json has no price for it"],
    ["the future", ["2999-01-01"], "is in the future"],
    ["no day", ["yesterday"], '"yesterday" is not a day'],
    ["a day that does not exist", ["2026-02-30"], '"2026-02-30" is not a day'],
    ["a model without a provider", [TODAY, "--model", "gpt-5"], "--model must be PROVIDER/MODEL"],
  ])("fails for %s", async (_, args, message) => {
    const space = makeSpace();
    await prices(space, "update", "table.json");
    expect(await prices(space, "pin", ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    expect(existsSync(space.path("prices.lock"))).toBe(false);
  });

  it("fails for a day after that of the table", async () => {
    const space = makeSpace();
    await prices(space, "update", "table.json", "--date", "2026-01-05");
    const done = await prices(space, "pin", TODAY);
    expect(done).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Run assay prices update, or pin 2026-01-05"),
    });
    expect(await prices(space, "pin", "2026-01-05")).toMatchObject({ code: 0 });
  });

  it("says what to pin if there is nothing", async () => {
    const space = new TempProject({ "a.txt": "" });
    expect(await prices(space, "pin", TODAY)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("There is nothing to pin"),
    });
  });

  it("leaves a broken lock to be repaired", async () => {
    const space = makeSpace({ "prices.lock": '{"schema": "assay.prices-lock/1"}' });
    const done = await runPooledAssay(space.dir, "models");
    expect(done).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Run: assay prices pin DATE, or remove the file"),
    });
  });
});

describe("the table of Assay", () => {
  it("has the date of the version that is installed", async () => {
    const { BUNDLED_TABLE } = await import("../src/budget/bundled-prices.js");
    const { dependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(dependencies["@pydantic/genai-prices"]).toBe(BUNDLED_TABLE.version);
  });
});
