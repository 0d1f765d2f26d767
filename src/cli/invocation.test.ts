import { describe, expect, it } from "vitest";
import { applyResumeFlags, recordInvocation, requireHeaders } from "./invocation.js";

const FLAGS = {
  systems: ["truncate:0.5"],
  queue: "rediss://me:hunter2@queue:6379/1",
  sharedDir: "out",
  headers: { Authorization: "Bearer secret-token", "X-Functions-Code": "secret-token", "X-Team": "evals" },
};

describe("stored invocation", () => {
  it("contains no secrets: no user and password in addresses, no key headers", () => {
    const { flags } = recordInvocation({ ...FLAGS, quiet: true, verbose: true, dryRun: true, resume: true }, "run");
    expect(flags).toEqual({
      systems: ["truncate:0.5"],
      queue: "rediss://queue:6379/1",
      sharedDir: "out",
      headers: { "X-Team": "evals" },
      secretHeaders: ["Authorization", "X-Functions-Code"],
    });
  });

  it("gives workers the current run: later flags win, selections and headers are merged", () => {
    const before = recordInvocation({ ...FLAGS, maxCost: 1, eval: { runs: 3, tags: ["a=b"] } }, "eval");
    const now = applyResumeFlags(before, {
      resume: "latest",
      quiet: true,
      maxCost: 5,
      queue: "redis://:other@elsewhere:1",
      headers: { "X-Api-Key": "k", "X-Team": "others" },
      eval: { runs: 4 },
    });
    expect(now).toEqual({
      ...before,
      flags: {
        ...before.flags,
        maxCost: 5,
        queue: "redis://elsewhere:1",
        headers: { "X-Team": "others" },
        secretHeaders: ["Authorization", "X-Functions-Code", "X-Api-Key"],
        eval: { runs: 4, tags: ["a=b"] },
      },
    });
    expect(JSON.stringify(now)).not.toMatch(/hunter2|secret-token|other@/);
  });

  it("requires headers that were not stored, ignoring case", () => {
    const kept = recordInvocation(FLAGS, "run");
    expect(() => requireHeaders(kept)).toThrow(/started with the header Authorization.*Pass it again: --header "Auth/);
    expect(() => requireHeaders(kept, { authorization: "Bearer x", "x-functions-code": "y" })).not.toThrow();
  });
});
