import { describe, expect, it } from "vitest";
import { isSameModel } from "./model-names.js";

describe("isSameModel", () => {
  it.each([
    ["gpt-5", "gpt-5"],
    ["gpt-5", "gpt-5-2025-08-07"],
    ["gpt-5-2025-08-07", "gpt-5"],
    ["openai/gpt-5", "gpt-5"],
    ["GPT-5", "gpt-5"],
    ["gpt-4", "gpt-4-0613"],
    ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929"],
    ["claude-sonnet-4-5[1m]", "claude-sonnet-4-5"],
    ["claude-sonnet-4.5", "claude-sonnet-4-5"],
    ["claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022"],
    ["claude-sonnet-4-5@20250929", "claude-sonnet-4-5"],
    ["claude-sonnet-4-5", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"],
    ["models/gemini-2.5-pro", "gemini-2.5-pro"],
    ["gemini-2.0-flash", "gemini-2.0-flash-001"],
    ["minimax/minimax-m2.7", "minimax-m2.7:free"],
    ["sonnet", "claude-sonnet-5"],
    ["haiku", "claude-haiku-4-5-20251001"],
    ["gemini-flash-latest", "gemini-3.8-flash"],
    ["auto", "gemini-3.1-pro-preview"],
    ["default", "claude-opus-5"],
    ["demo", "demo"],
  ])("%s is %s", (asked, called) => expect(isSameModel(asked, called)).toBe(true));

  it.each([
    ["gemini-3.5-flash", "gemini-3.8-flash"],
    ["gemini-3-pro-preview", "gemini-3.1-pro-preview"],
    ["gemini-2.5-flash", "gemini-2.5-flash-lite"],
    ["gpt-5", "gpt-5-mini"],
    ["gpt-5-mini", "gpt-5"],
    ["gpt-5", "gpt-5.5"],
    ["claude-opus-4-8", "claude-sonnet-4-8"],
    ["sonnet", "claude-haiku-4-5"],
    ["demo", "other"],
    ["m", "n"],
    ["qwen3-coder", "qwen3-max"],
  ])("%s is not %s", (asked, called) => expect(isSameModel(asked, called)).toBe(false));
});
