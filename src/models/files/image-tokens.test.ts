import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DialectName } from "../dialects/dialect.js";
import { countImageTokens } from "./image-tokens.js";

const count = (width: number, height: number, model: string, dialect: DialectName = "chat") =>
  countImageTokens({ width, height }, { model, dialect });

describe("countImageTokens", () => {
  it("counts OpenAI's tiles and patches like its guide", () => {
    // The examples of the guide.
    expect(count(1024, 1024, "gpt-4o")).toBe(765);
    expect(count(2048, 4096, "gpt-4o")).toBe(1105);
    expect(count(1024, 1024, "gpt-4.1-mini")).toBe(Math.ceil(1024 * 1.62));
    expect(count(1800, 2400, "gpt-4.1-mini")).toBe(Math.ceil(1536 * 1.62));
    expect(count(512, 512, "gpt-4o-mini")).toBe(2833 + 5667);
    expect(count(1024, 1024, "openai/gpt-5", "responses")).toBe(70 + 4 * 140);
    expect(count(1024, 1024, "o3-2025-04-16")).toBe(75 + 4 * 150);
  });

  it("counts Claude's areas up to the limit of each generation", () => {
    expect(count(200, 200, "claude-sonnet-4-5", "anthropic")).toBe(64);
    expect(count(1000, 1000, "claude-sonnet-4-5-20250929", "anthropic")).toBe(1334);
    expect(count(4000, 3000, "claude-sonnet-4-5", "anthropic")).toBe(1600);
    expect(count(4000, 3000, "claude-opus-5-5", "anthropic")).toBe(4784);
    expect(count(4000, 3000, "us.anthropic.claude-3-5-sonnet-20241022-v2:0", "anthropic")).toBe(1600);
  });

  it("counts Gemini's tiles", () => {
    expect(count(384, 384, "gemini-2.5-flash", "gemini")).toBe(258);
    // The example of its guide: three by two tiles of 360 pixels.
    expect(count(960, 540, "gemini-2.5-flash", "gemini")).toBe(6 * 258);
    expect(count(3000, 3000, "gemini-3.8-flash", "gemini")).toBe(1120);
  });

  it("never counts less for an unknown model or an unknown image", () => {
    const known: readonly [string, DialectName][] = [
      ["gpt-4o", "chat"],
      ["gpt-5.4", "responses"],
      ["gpt-4.1-nano", "chat"],
      ["claude-opus-4-8", "anthropic"],
      ["claude-haiku-4-5", "anthropic"],
      ["gemini-3.8-flash", "gemini"],
    ];
    const side = fc.integer({ min: 1, max: 8000 });
    fc.assert(
      fc.property(fc.constantFrom(...known), side, side, ([model, dialect], width, height) => {
        const tokens = count(width, height, model, dialect);
        expect(tokens).toBeGreaterThan(0);
        expect(count(width, height, "someone-else", dialect)).toBeGreaterThanOrEqual(tokens);
        expect(countImageTokens(null, { model, dialect })).toBeGreaterThanOrEqual(tokens);
      }),
    );
  });
});
