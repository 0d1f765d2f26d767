import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { createRandom, type Random } from "../../src/stats/index.js";
import { type Mock, startMock } from "../../src/testing/mock/index.js";
import { parseReport, type RunningCommand, startAssay } from "../../src/testing/run-assay.js";
import { TempProject } from "../../src/testing/temp-project.js";
import { PRICE } from "./bill.js";

/** Half as many as other scenarios: each start also waits for batches. */
const KILLS = Math.max(3, Math.ceil(Number(process.env.CHAOS_KILLS ?? 20) / 2));
const REQUESTS = KILLS < 10 ? 200 : 2000;
/** Generous, so that no busy machine reaches it. */
const LIMIT_MS = 240_000 + 30_000 * KILLS;
const HOUR_MS = 3_600_000;
/** Requests that fail are sent again in a second and a third batch. */
const ERROR_RATE = 0.05;

const APIS = [
  { name: "OpenAI", provider: "openai", path: "/v1", variable: "OPENAI_API_KEY" },
  { name: "Anthropic", provider: "anthropic", path: "", variable: "ANTHROPIC_API_KEY" },
  { name: "Gemini", provider: "google", path: "", variable: "GEMINI_API_KEY" },
] as const;

describe(`${KILLS} × kill -9 of a run in batches`, () => {
  it.each(APIS)("through $name", { timeout: LIMIT_MS }, async (api) => {
    const clock = { aheadMs: 0 };
    const mock = await startMock({
      reply: "It is Paris.",
      latencyMs: { min: 20, max: 120 },
      batch: { delayMs: HOUR_MS, errorRate: ERROR_RATE },
      keepRequests: 50_000,
      keepBodies: true,
      now: () => Date.now() + clock.aheadMs,
    });
    onTestFinished(() => mock.close());
    const scene = new BatchScene(api, mock);
    const random = createRandom(`batches ${api.name}`);
    const late = Math.max(1, Math.floor(KILLS / 3));
    // While the first batch runs: at startup, while it is uploaded and created, and while it is awaited.
    for (let kills = 0; kills < KILLS - late; kills++) await scene.kill(() => scene.waitForCalls(random));
    // While its results are read, stored and graded, and failed requests are sent again.
    clock.aheadMs += 2 * HOUR_MS;
    for (let kills = 0; kills < late; kills++) await scene.kill(() => scene.waitForRows(random, clock));
    const advance = setInterval(() => {
      clock.aheadMs += 2 * HOUR_MS;
    }, 200);
    onTestFinished(() => clearInterval(advance));
    const last = await scene.running.finished;
    expect(last.code, last.stderr).toBe(0);

    const report = parseReport(last) as ReturnType<typeof parseReport> & { budget: Record<string, number> };
    const paid = mock.requests.filter(({ usage, status }) => usage !== null && status === 200);
    const distinct = new Set(paid.map(({ task }) => task)).size;
    const billedUsd = paid.reduce((sum, { usage }) => {
      return sum + ((usage?.input ?? 0) * PRICE.input + (usage?.output ?? 0) * PRICE.output) / 2000;
    }, 0);
    const { spentUsd = 0, lostUsd = 0, trialsUsd = 0 } = report.budget;
    const batches = new Set(paid.map(({ batch }) => batch)).size;
    const lost = REQUESTS - new Set(report.rows.map(({ exampleId }) => exampleId)).size;
    figures.push([
      api.name,
      KILLS,
      REQUESTS,
      batches,
      lost,
      paid.length,
      paid.length - distinct,
      billedUsd,
      spentUsd,
      lostUsd,
    ]);

    expect(report.rows.filter(({ outcome, costSource }) => outcome === "pass" && costSource === "batch")).toHaveLength(
      REQUESTS,
    );
    expect(distinct).toBe(REQUESTS);
    expect(paid).toHaveLength(REQUESTS);
    expect(paid.every(({ batch }) => batch !== null)).toBe(true);
    expect(lostUsd).toBe(0);
    expect(trialsUsd).toBeCloseTo(billedUsd, 6);
    expect(spentUsd).toBeCloseTo(billedUsd, 6);
  });
});

const COLUMNS = [
  "API",
  "kills",
  "requests",
  "batches",
  "lost",
  "paid",
  "paid twice",
  "billed",
  "receipt",
  "of which lost",
];
const figures: (string | number)[][] = [];
afterAll(() => {
  const format = (cell: string | number, column: number) =>
    typeof cell === "number" && column >= 7 ? `$${cell.toFixed(2)}` : String(cell);
  const lines = [COLUMNS, COLUMNS.map(() => "---"), ...figures.map((cells) => cells.map(format))];
  console.log(`\n${lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`);
});

/** A run that is killed and resumed. */
class BatchScene {
  running: RunningCommand;
  readonly #mock: Mock;
  readonly #space: TempProject;
  readonly #env: Readonly<Record<string, string>>;

  constructor({ provider, path, variable }: (typeof APIS)[number], mock: Mock) {
    this.#mock = mock;
    const half = `{ input_per_1k: ${PRICE.input / 2}, output_per_1k: ${PRICE.output / 2} }`;
    const pricing = `{ input_per_1k: ${PRICE.input}, output_per_1k: ${PRICE.output}, batch: ${half} }`;
    this.#space = new TempProject({
      "models.yml": `small:\n  provider: ${provider}\n  base_url: ${mock.url}${path}\n  pricing: ${pricing}\n`,
      "q.jsonl": Array.from({ length: REQUESTS }, (_, i) => ({
        id: `e${i}`,
        question: `What is item e${i} ?`,
        answer: "Paris",
      })),
    });
    this.#env = { [variable]: "test-key-of-the-mock" };
    this.running = this.#start();
  }

  /** Kills the command at the moment, and starts it again. */
  async kill(moment: () => Promise<void>): Promise<void> {
    await moment();
    expect(this.running.child.exitCode, "it ended before it was killed often enough").toBeNull();
    this.running.child.kill("SIGKILL");
    await this.running.finished;
    this.running = this.#start();
  }

  /** One moment in three is during startup; the others follow a call of the batch API, before or after its answer. */
  async waitForCalls(random: Random): Promise<void> {
    if (random.int(3) === 0) {
      await sleep(random.int(1500));
      return;
    }
    const until = this.#mock.counts.requests + 1 + random.int(3);
    await this.#waitUntil(() => this.#mock.counts.requests >= until);
    await sleep(random.int(150));
  }

  /** Some moments are during the download, the others while rows are written. The last batch never ends here. */
  async waitForRows(random: Random, clock: { aheadMs: number }): Promise<void> {
    if (random.int(2) === 0) {
      const before = this.#mock.counts.requests;
      await this.#waitUntil(() => this.#mock.counts.requests > before);
      await sleep(random.int(100));
      return;
    }
    const rows = random.int(REQUESTS / 2);
    // A kill may have come before the first batch was created: it ends later.
    const advance = setInterval(() => {
      clock.aheadMs += 2 * HOUR_MS;
    }, 5000);
    await this.#waitUntil(() => this.#countRows() > rows);
    clearInterval(advance);
  }

  async #waitUntil(isReached: () => boolean): Promise<void> {
    while (!isReached() && this.running.child.exitCode === null) await sleep(3);
  }

  #countRows(): number {
    const path = this.#space.path(this.#findRun(), "rows.jsonl");
    if (!existsSync(path)) return 0;
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line.includes('"outcome"')).length;
  }

  #findRun(): string {
    return this.#space.runs().findLast((run) => existsSync(this.#space.path(run, "manifest.json"))) ?? "";
  }

  #start(): RunningCommand {
    const run = this.#findRun();
    const first = ["run", "--model", "small", "--dataset", "q.jsonl", "--score-field", "contains", "--batch"];
    const limits = ["--max-tokens", "40", "--max-cost", "1000", "--output", "json"];
    return startAssay(this.#space.dir, run === "" ? [...first, ...limits] : ["run", "--resume", run], this.#env);
  }
}
