import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Example } from "../../core/example.js";
import type { EvalResult } from "../../core/result.js";
import type { System } from "../../core/system.js";
import { type EvaluateOptions, evaluate } from "../../evaluate.js";
import { AnswerQuality } from "../../evaluators/answer-quality.js";
import { loadRun } from "../../runs/load-run.js";
import type { EmbeddedReport } from "./contract.js";
import { renderHtmlPage } from "./html-report-page.js";
import { createSampleQueue, createSampleWorker, writeQueueFile } from "./queue-testing.js";
import { createEmptyFolder } from "./trial-testing.js";

const HOSTILE = "</script><!--<script>alert(1)</script> \u2028\u2029 \u001b[31m \u202e \ud800";
const PAGE = {
  script: 'const end = "</SCRIPT>", start = "<!-- <script>";\r\nconst less = 1</x/;',
  style: 'a::before { content: "</style>" }\r\n',
};

const examples: Example[] = Array.from({ length: 6 }, (_, i) => ({
  id: i,
  question: `${HOSTILE} ${i}`,
  answer: "yes",
}));

/** `good` is always right, `poor` every other time. */
const SYSTEMS: System[] = ["good", "poor"].map((name) => ({
  name,
  process: ({ id }) => ({ response: name === "good" || Number(id) % 2 === 0 ? "yes" : `no ${HOSTILE}` }),
}));

function measure(more: Partial<EvaluateOptions> = {}): Promise<EvalResult> {
  const evaluators = [new AnswerQuality()];
  return evaluate({ systems: SYSTEMS, dataset: examples, evaluators, scoreField: "f1", title: HOSTILE, ...more });
}

async function pageOf(result: EvalResult, options: { mostBytes?: number } = {}): Promise<string> {
  return [...(await renderHtmlPage(result, { page: PAGE, ...options }))].join("");
}

function reportIn(page: string): EmbeddedReport {
  const [, data = ""] = /<script type="application\/octet-stream" id="assay-data">([^<]*)<\/script>/.exec(page) ?? [];
  return JSON.parse(gunzipSync(Buffer.from(data, "base64")).toString()) as EmbeddedReport;
}

describe("renderHtmlPage", () => {
  it("contains everything the page shows of a stored run, and nothing about the machine", async () => {
    const runsDir = createEmptyFolder();
    const { runDir } = await measure({ runsDir });
    const result = await loadRun(runDir ?? "");
    const page = await pageOf(result);
    const report = reportIn(page);
    expect(report).toMatchObject({ schema: "assay.page/1", trialsLeftOut: 0, head: { total: 12 } });
    expect(report.run.card).toMatchObject({ title: HOSTILE, status: "complete", done: 12 });
    expect(report.chunks.flatMap(({ id }) => id)).toHaveLength(12);
    expect(report.trials.map(({ row }) => row.outcome)).toEqual([...Array(3).fill("fail"), ...Array(9).fill("pass")]);
    const [first] = report.trials;
    expect(first?.example?.[0]).toMatchObject({ name: "question", text: expect.stringContaining("</script>") });
    expect(first?.output[0]).toMatchObject({ name: "response", text: `no ${HOSTILE}` });
    expect(first?.siblings).toHaveLength(1);
    const [pair] = report.comparisons;
    expect(pair?.comparison.comparisons[0]).toMatchObject({ systemA: "good", systemB: "poor" });
    expect(JSON.stringify(report)).not.toContain(runsDir);
  });

  it("shows the work of queue workers without naming machines", async () => {
    const { runDir } = await measure({ runsDir: createEmptyFolder() });
    writeQueueFile(
      runDir ?? "",
      createSampleQueue({ isRunning: false, workers: [createSampleWorker({ host: "vault-7", done: 12 })] }),
    );
    const { queue } = reportIn(await pageOf(await loadRun(runDir ?? ""))).run;
    expect(queue).toMatchObject({ phase: "over", state: { workers: [{ host: "machine 1", done: 12 }] } });
    expect(JSON.stringify(queue)).not.toMatch(/vault-7|redis:/);
  });

  it("is the same file for the same rows, byte by byte", async () => {
    const { runDir } = await measure({ runsDir: createEmptyFolder() });
    const [first, second] = [await loadRun(runDir ?? ""), await loadRun(runDir ?? "")];
    expect(await pageOf(second)).toBe(await pageOf(first));
  });

  it("works for a result that is not stored, from rows alone", async () => {
    const report = reportIn(await pageOf(await measure()));
    expect(report.run.card).toMatchObject({ id: "run", status: "complete", planned: 12 });
    expect(report.trials).toHaveLength(12);
    expect(report.trials[0]).toMatchObject({ example: null, output: [], row: { outcome: "fail" } });
  });

  it("leaves out trials beyond the size limit, and counts them", async () => {
    const { runDir } = await measure({ runsDir: createEmptyFolder() });
    const result = await loadRun(runDir ?? "");
    const all = reportIn(await pageOf(result)).trials;
    const mostBytes = Buffer.byteLength(
      all
        .slice(0, 4)
        .map((trial) => JSON.stringify(trial))
        .join(""),
    );
    const report = reportIn(await pageOf(result, { mostBytes }));
    expect(report.trials).toEqual(all.slice(0, 4));
    expect(report.trialsLeftOut).toBe(8);
    expect(reportIn(await pageOf(result, { mostBytes: 0 }))).toMatchObject({ trials: [], trialsLeftOut: 12 });
  });

  it("runs only its own script, which no data can end", async () => {
    const page = await pageOf(await measure());
    const [, policy = ""] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page) ?? [];
    const [, script = ""] = /<script type="module">([\s\S]*?)<\/script>/.exec(page) ?? [];
    const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      `script-src ${hashOf(script)}`,
      `style-src ${hashOf(style)}`,
      "img-src data: blob:",
      "connect-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(script).toBe('const end = "\\x3c/SCRIPT>", start = "\\x3c!-- <script>";\nconst less = 1</x/;');
    expect(style).toBe('a::before { content: "\\3c /style>" }\n');
    expect(page).not.toContain("\r");
    expect(page.match(/<script/g)).toHaveLength(3);
    expect(page.match(/<!--/g)).toBeNull();
    expect(page).toContain("<title>&lt;/script&gt;&lt;!--&lt;script&gt;alert(1)");
  });

  it("is rendered in chunks", async () => {
    const context = Array.from({ length: 20_000 }, (_, i) => Math.sin(i)).join(" ");
    const noisy: System = { name: "noisy", process: () => ({ response: "yes", context }) };
    const result = await measure({ systems: [noisy], runsDir: createEmptyFolder() });
    const pieces = [...(await renderHtmlPage(result, { page: PAGE }))];
    expect(pieces.length).toBeGreaterThan(8);
    for (const piece of pieces) expect(piece.length).toBeLessThan(200_000);
    expect(reportIn(pieces.join("")).trials[0]?.output.map(({ length }) => length)).toEqual([3, context.length]);
  });
});
