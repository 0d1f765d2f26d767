import { describe, expect, it } from "vitest";
import { parseRunQuery } from "./start-server.js";

describe("parseRunQuery", () => {
  it("reads the given parameters and nothing else", () => {
    expect(parseRunQuery({})).toEqual({});
    expect(parseRunQuery({ q: "", limit: "", other: "1" })).toEqual({});
    const words = { q: "a b", status: "damaged", command: "eval", hasDataset: "qa", dataset: "x", tag: "depth=1" };
    expect(parseRunQuery({ ...words, sort: "-pass_rate", limit: "1000", offset: "0" })).toEqual({
      ...words,
      sort: "-pass_rate",
      limit: 1000,
      offset: 0,
    });
  });

  it.each([
    [{ limit: "0" }, '"limit" is "0". It must be a whole number from 1 to 1000.'],
    [{ limit: "1001" }, '"limit" is "1001"'],
    [{ limit: "ten" }, '"limit" is "ten"'],
    [{ limit: "1e2" }, '"limit" is "1e2"'],
    [{ offset: "-1" }, '"offset" is "-1". It must be a whole number of 0 or more.'],
    [{ offset: "1.5" }, '"offset" is "1.5"'],
    [{ offset: "99999999999999999999" }, '"offset" is'],
    [{ sort: "size" }, '"sort" is "size". It must be one of: title, status, when'],
    [{ sort: "--when" }, '"sort" is "--when"'],
    [{ sort: "toString" }, '"sort" is "toString"'],
    [{ status: "done" }, '"status" is "done". It must be one of: running, complete, incomplete, damaged.'],
  ])("rejects %j with a message", (words, problem) => {
    expect(() => parseRunQuery(words)).toThrow(problem);
  });
});
