import { describe, expect, it } from "vitest";
import { runAssay } from "../../src/testing/run-assay.js";
import { TempProject } from "../../src/testing/temp-project.js";
import type { Site } from "./site.js";
import type { HardRuns } from "./stored-runs.js";
import { waitFor } from "./wait-for.js";

const TITLE = "Skills in May";

/** An agent's trial in Vally's format: it reads a file, fixes it, and says so. */
function makeVallyTrial(): Record<string, unknown> {
  const at = (second: number) => new Date(Date.UTC(2026, 4, 1, 9, 0, second)).toISOString();
  const event = (second: number, type: string, data: object) => ({ type, timestamp: at(second), data });
  const edit = { file_path: "sum.js", old_string: "a - b", new_string: "a + b" };
  const events = [
    event(0, "user_message", { content: "Fix the sum." }),
    event(1, "tool_call", { toolName: "Read", toolCallId: "1", arguments: { file_path: "sum.js" } }),
    event(2, "tool_result", { toolCallId: "1", success: true, result: "a - b" }),
    event(3, "token_usage", { model: "claude-sonnet-4-5", inputTokens: 1200, outputTokens: 80 }),
    event(4, "tool_call", { toolName: "Edit", toolCallId: "2", arguments: edit }),
    event(5, "tool_result", { toolCallId: "2", success: true, result: "edited" }),
    event(6, "token_usage", { model: "claude-sonnet-4-5", inputTokens: 1300, outputTokens: 20 }),
    event(7, "assistant_message", { content: "The sum is fixed." }),
  ];
  return {
    type: "trial-result",
    stimulus: "fix-the-sum",
    trialIndex: 0,
    status: "success",
    gradeResult: { passed: true, score: 1, details: [], evidence: "The sum is right." },
    trajectory: { id: "t1", events, metadata: { model: "claude-sonnet-4-5", executor: "claude" } },
  };
}

/** Imported results become a run like any other. */
export function describeImported(site: Site<HardRuns>): void {
  describe("imported run", () => {
    it("shows the work of its agent, from the list of runs to the diff of a file", async () => {
      const { dir } = new TempProject({ "results.jsonl": [makeVallyTrial()] });
      const done = await runAssay(dir, "import", "results.jsonl", "--title", TITLE, "--runs-dir", site.runsDir);
      expect(done.code, done.stderr).toBe(0);
      const page = await site.open("#/runs");
      await page.getByRole("link", { name: TITLE }).click();
      expect(await page.locator(".facts").first().innerText()).toMatch(/Time\s+–/);
      await page.getByRole("tab", { name: /^Rows/ }).click();
      await page.getByRole("link", { name: "fix-the-sum" }).click();
      const calls = page.locator(".step-call");
      await waitFor(() => calls.count()).toBe(2);
      expect(await calls.nth(0).textContent()).toMatch(/1\.00 s.*Read.*✓ done after 1\.00 s/);
      // Vally does not measure how long a request took.
      const request = page.locator(".step").filter({ hasText: "request" }).first();
      expect(await request.textContent()).not.toContain("0 ms");
      await calls.nth(1).locator("summary").click();
      expect(await calls.nth(1).locator(".diff-line").allTextContents()).toEqual(["-a - b", "+a + b"]);
      expect(await page.locator(".running-line").last().textContent()).toContain("Tokens over time: 2,600");
    });
  });
}
