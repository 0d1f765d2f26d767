import { describe, expect, it } from "vitest";
import { UsageError } from "../../core/errors.js";
import { parseNolimaConfig } from "./entries/nolima.js";

describe("parseNolimaConfig", () => {
  it("has defaults", () => {
    expect(parseNolimaConfig("")).toEqual({
      lengths: [1000, 4000, 16_000],
      depths: [0, 0.25, 0.5, 0.75, 1],
      hops: [1, 2],
    });
  });

  it("reads settings with spaces and in any order", () => {
    expect(parseNolimaConfig(" hops = 2; lengths=1000, 32000 ;depths=0.5;")).toEqual({
      lengths: [1000, 32_000],
      depths: [0.5],
      hops: [2],
    });
  });

  it.each([
    ["lengths", '"lengths" is not KEY=VALUE'],
    ["lengths=1000=2", "is not KEY=VALUE"],
    ["length=1000", 'unknown setting "length". Did you mean'],
    ["hops=1;hops=2", '"hops" is set twice'],
    ["depths=0,0", "depths names 0 twice"],
    ["depths=2", 'depths takes numbers from 0 to 1, not "2"'],
    ["hops=3", 'hops takes whole numbers from 1 to 2, not "3"'],
    ["lengths=10", 'lengths takes whole numbers from 250 to 2000000, not "10"'],
    ["lengths=", 'not ""'],
    ["lengths=1000.5", 'not "1000.5"'],
  ])("rejects %s", (config, message) => {
    expect(() => parseNolimaConfig(config)).toThrow(UsageError);
    expect(() => parseNolimaConfig(config)).toThrow(message);
    expect(() => parseNolimaConfig(config)).toThrow("Example: nolima:lengths=");
  });
});
