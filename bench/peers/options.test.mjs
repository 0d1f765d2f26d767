import { describe, expect, it } from "vitest";
import { OptionError, readOptions } from "./options.mjs";

const KNOWN = { names: ["assay", "promptfoo"], sections: ["install", "echo"] };

describe("readOptions", () => {
  it("measures everything and publishes it unless told", () => {
    const options = readOptions([], KNOWN);
    expect(options).toMatchObject({ only: KNOWN.names, examples: 10_000, requests: 2_000, rounds: 3 });
    expect(options.out).toMatch(/bench$/);
  });

  it.each([["--quick"], ["--only", "assay"], ["--rounds", "1"], ["--sections", "echo"]])(
    "does not publish a part: %s",
    (...args) => {
      expect(readOptions(args, KNOWN).out).toBeNull();
      expect(readOptions([...args, "--out", "elsewhere"], KNOWN).out).toBe("elsewhere");
    },
  );

  it.each([
    [["--onyl", "assay"], /Unknown option '--onyl'/],
    [["--only", "assay,promtpfoo"], /unknown promtpfoo\. Known: assay, promptfoo/],
    [["--sections", "all"], /unknown all/],
    [["--examples", "0"], /--examples 0: give a whole number/],
    [["--rounds", "two"], /--rounds two/],
    [["quick"], /Unexpected argument 'quick'/],
  ])("refuses %j", (args, message) => {
    expect(() => readOptions(args, KNOWN)).toThrow(OptionError);
    expect(() => readOptions(args, KNOWN)).toThrow(message);
  });

  it("names who and what can be measured in its help", () => {
    const { help } = readOptions(["--help"], KNOWN);
    expect(help).toContain("assay, promptfoo");
    expect(help).toContain("install, echo");
  });
});
