import { describe, expect, it } from "vitest";
import { describeEfforts, describeModelEnd, findCapabilities, requireEffort } from "./capabilities.js";
import { ANTHROPIC_TABLE, DEEPSEEK_TABLE, GOOGLE_TABLE, OPENAI_TABLE } from "./capability-table.js";

const findFamily = (model: string) => findCapabilities({ model })?.family ?? null;

describe("findCapabilities", () => {
  it.each([
    ["gpt-5", "gpt-5"],
    ["gpt-5-2025-08-07", "gpt-5"],
    ["openai/gpt-5-mini", "gpt-5-mini"],
    ["openrouter/openai/gpt-6-luna:free", "gpt-6-luna"],
    ["gpt-4o-2024-05-13", "gpt-4o-2024-05-13"],
    ["gpt-4o-2024-11-20", "gpt-4o"],
    ["gpt-4-0613", "gpt-4"],
    ["gpt-4-1106-preview", "gpt-4"],
    ["claude-sonnet-4-5-20250929", "claude-sonnet-4-5"],
    ["claude-sonnet-4-20250514", "claude-sonnet-4"],
    ["claude-opus-4-0", "claude-opus-4"],
    ["anthropic/claude-opus-4.5", "claude-opus-4-5"],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"],
    ["anthropic.claude-haiku-5-5", "claude-haiku-5-5"],
    ["claude-3-5-sonnet-latest", "claude-3-5-sonnet"],
    ["claude-opus-4-1@20250805", "claude-opus-4-1"],
    ["models/gemini-2.5-pro", "gemini-2.5-pro"],
    ["gemini-2.0-flash-001", "gemini-2.0-flash"],
    ["Gemini-3.8-Flash", "gemini-3.8-flash"],
  ])("finds the family of %s", (model, family) => expect(findFamily(model)).toBe(family));

  it.each([
    "",
    "gpt-5-codex",
    "gpt-50",
    "my-gpt-5",
    "claude-opus-9",
    "gemini-2.5-flash-image",
    "ft:gpt-4o-mini:us::1",
    "o3x",
    "llama",
  ])("assumes nothing about %j", (model) => expect(findFamily(model)).toBeNull());

  it("says what is known, with its date and source, and null for the rest", () => {
    expect(findCapabilities({ provider: "openai", model: "gpt-5-mini" })).toEqual({
      family: "gpt-5-mini",
      maker: "openai",
      contextTokens: 400_000,
      maxOutputTokens: 128_000,
      structuredOutput: true,
      effort: { names: ["minimal", "low", "medium", "high"], tokens: null, isAdaptive: false },
      images: true,
      files: true,
      refused: ["temperature", "top_p", "max_tokens"],
      ends: { date: "2026-12-11", replacement: "gpt-5.6-terra" },
      asOf: "2026-11-18",
      source: expect.stringContaining("OpenAI"),
    });
    expect(findCapabilities({ model: "deepseek-v4-pro" })).toMatchObject({ effort: null, images: null, refused: [] });
  });

  it("knows the end of a model at its maker only: others have dates of their own", () => {
    const endsAt = (provider: string | null) =>
      findCapabilities({ provider, model: "claude-sonnet-4-5" })?.ends?.date ?? null;
    expect([endsAt("anthropic"), endsAt("Anthropic"), endsAt(null)]).toEqual(Array(3).fill("2026-11-30"));
    expect([endsAt("bedrock"), endsAt("openrouter"), endsAt("vertex")]).toEqual([null, null, null]);
  });
});

describe("the tables", () => {
  const families = [OPENAI_TABLE, ANTHROPIC_TABLE, GOOGLE_TABLE, DEEPSEEK_TABLE].flatMap(({ families }) =>
    Object.entries(families),
  );

  it.each(families)("has plausible facts about %s", (family, entry) => {
    expect(findFamily(family)).toBe(family);
    const { context, output, thinkingTokens, ends, replacement } = entry;
    if (context !== undefined && output !== undefined) expect(output).toBeLessThanOrEqual(context);
    if (thinkingTokens !== undefined && output !== undefined) expect(thinkingTokens[1]).toBeLessThanOrEqual(output);
    if (ends !== undefined) expect(new Date(ends).toISOString().slice(0, 10)).toBe(ends);
    if (replacement === undefined) return;
    const next = findCapabilities({ model: replacement });
    expect(next?.family).toBe(replacement);
    expect(next?.ends?.date ?? "9999").toSatisfy((date: string) => date > String(ends));
  });
});

describe("requireEffort", () => {
  it("accepts what the family supports, and anything for an unknown model", () => {
    expect(() => requireEffort("minimal", { model: "gpt-5" })).not.toThrow();
    expect(() => requireEffort(2048, { model: "claude-haiku-4-5" })).not.toThrow();
    expect(() => requireEffort("max", { model: "my-model" })).not.toThrow();
    expect(() => requireEffort("max", { model: "gpt-6-sol" })).not.toThrow();
  });

  it.each([
    ["minimal", "gpt-6-luna", "Use one of: none, low, medium, high, xhigh, max."],
    [4096, "gpt-5", "Use one of: minimal, low, medium, high."],
    ["low", "claude-haiku-4-5", "Use one of: none, a number of thinking tokens from 1024 to 63999."],
    [100, "claude-haiku-4-5", "from 1024 to 63999."],
    [40_000, "gemini-2.5-pro", "Use one of: a number of thinking tokens from 128 to 32768."],
    ["low", "gpt-4o", "It takes no effort: remove it for this model."],
  ] as const)("rejects %s for %s with the allowed values", (effort, model, values) => {
    expect(() => requireEffort(effort, { model })).toThrow(
      `The model ${model} does not support the effort ${effort}. `,
    );
    expect(() => requireEffort(effort, { model })).toThrow(values);
  });
});

it("describes efforts", () => {
  expect(describeEfforts({ names: ["none"], tokens: { min: 1, max: 9 }, isAdaptive: false })).toBe(
    "none, a number of thinking tokens from 1 to 9",
  );
});

it.each([
  ["2026-12-11", "2026-11-18T10:00:00Z", "ends on 2026-12-11, in 23 days; its maker recommends m2"],
  ["2026-11-19", "2026-11-18T10:00:00Z", "ends on 2026-11-19, in 1 day; its maker recommends m2"],
  ["2026-11-18", "2026-11-18T00:00:00Z", "ended on 2026-11-18; its maker recommends m2"],
  ["2026-06-15", "2026-11-18T10:00:00Z", "ended on 2026-06-15; its maker recommends m2"],
  ["2027-04-01", "2026-11-18T10:00:00Z", null],
])("describes an end on %s", (date, now, text) => {
  expect(describeModelEnd({ date, replacement: "m2" }, new Date(now))).toBe(text);
});

it("describes an end without a replacement", () => {
  expect(describeModelEnd({ date: "2026-01-05", replacement: null }, new Date("2026-11-18"))).toBe(
    "ended on 2026-01-05",
  );
});
