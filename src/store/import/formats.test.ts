import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OUTCOMES } from "../../core/row.js";
import { FORMAT_NAMES, type FormatName, type ImportedTrial } from "./format.js";
import { findFormat } from "./formats.js";

/** Every field that a format reads by name. */
const FIELDS: Readonly<Record<FormatName, string[]>> = {
  ailang:
    "id lang model executor eval_mode seed trial input_tokens output_tokens reason_tokens cost_usd cost_provenance compile_ok stdout_ok duration_ms success_at_ms first_attempt_ms tokens_per_sec agent_turns cost_killed_at error_category timestamp code validity".split(
      " ",
    ),
  vally:
    "type stimulus trialIndex status outcome errorCategory error gradeResult grades passed score details evidence trajectory metrics metadata events tokenUsage inputTokens cacheReadTokens wallTimeMs turnCount durationMs costUsd notes usage timestamp data".split(
      " ",
    ),
  "context-bench": "system example_id dataset scores input_tokens output_tokens latency metadata prompt_tokens".split(
    " ",
  ),
  promptfoo:
    "provider prompt vars testCase assert response output tokenUsage prompt completion completionDetails success score failureReason error gradingResult componentResults namedScores cost latencyMs label raw".split(
      " ",
    ),
  atif: "schema_version session_id agent name model_name steps source message reasoning_content tool_calls tool_call_id function_name arguments observation results source_call_id content metrics prompt_tokens completion_tokens cached_tokens cost_usd extra assay usage passed scores outcome event thread timestamp final_metrics total_prompt_tokens total_cost_usd".split(
    " ",
  ),
};

const HOSTILE = ["__proto__", "NaN", "\u001b[2J", "", "x", "none", "error", "trial-result", "2026-01-01T00:00:00Z"];

function hostileRecord(fields: readonly string[]) {
  const name = fc.constantFrom(...fields, "__proto__", "constructor");
  const { tree } = fc.letrec((tie) => ({
    leaf: fc.oneof(fc.constantFrom(...HOSTILE), fc.double(), fc.integer(), fc.boolean(), fc.constant(null)),
    object: fc.array(fc.tuple(name, tie("tree")), { maxLength: 8 }).map((entries) => Object.fromEntries(entries)),
    tree: fc.oneof({ maxDepth: 4 }, tie("leaf"), tie("object"), fc.array(tie("tree"), { maxLength: 3 })),
  }));
  return fc.array(fc.tuple(name, tree), { maxLength: 20 }).map((entries) => Object.fromEntries(entries));
}

function readOrNull(read: () => ImportedTrial | null): ImportedTrial | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Fields without which nothing is read. */
const NEEDED = {
  ailang: { id: "a", lang: "b", model: "m", stdout_ok: true },
  vally: { stimulus: "s", status: "success" },
  "context-bench": { system: "s", example_id: 1, scores: { f1: 1 } },
  promptfoo: { provider: "p", prompt: { raw: "r" }, success: true },
  atif: { schema_version: "ATIF-v1.4", session_id: "s", agent: { name: "a" } },
};

describe.each(FORMAT_NAMES)("a hostile record of %s", (name) => {
  it("is rejected, or becomes a valid row", () => {
    const format = findFormat(name);
    let read = 0;
    fc.assert(
      fc.property(hostileRecord(FIELDS[name]), fc.boolean(), (hostile, isWhole) => {
        const record = JSON.parse(JSON.stringify(isWhole ? { ...hostile, ...NEEDED[name] } : hostile));
        const trial = readOrNull(() => format.read(record, "file.json"));
        if (trial === null) return;
        read += 1;
        const { outcome, scores = {}, passed = null, primaryField = null, ...row } = trial.row;
        expect(OUTCOMES).toContain(outcome);
        expect(passed).toBe(outcome === "pass" ? true : outcome === "fail" ? false : null);
        expect(primaryField === null || Object.hasOwn(scores, primaryField)).toBe(true);
        expect(Object.values(scores).every(Number.isFinite)).toBe(true);
        const figures = [row.inputTokens, row.outputTokens, row.costUsd, row.durationMs, row.latency, row.turns];
        const speeds = [row.firstAttemptMs, row.successAtMs, row.tokensPerSec, ...Object.values(row.usage ?? {})];
        for (const figure of [...figures, ...speeds])
          expect(figure == null || (Number.isFinite(figure) && figure >= 0)).toBe(true);
        expect(trial.system.name).not.toBe("");
        expect(({} as Record<string, unknown>).id).toBeUndefined();
      }),
      { numRuns: 400, examples: [[{ latency: 1.8e305 }, true]] },
    );
    expect(read).toBeGreaterThan(50);
  });
});
