import { describe, expect, it } from "vitest";
import { checkEvalsConfig, findEvalsConfigProblems, resolveSharedEnvironments } from "./evals-config.js";

describe("checkEvalsConfig", () => {
  it("accepts paths, suites and environments", async () => {
    const evals = {
      paths: ["evals"],
      suites: { fast: { tags: ["!slow", "area=js,ts"] }, one: { paths: ["a/eval.yaml"] } },
      environments: { node: { files: [{ src: "app", dest: "." }], commands: ["npm ci"] } },
    };
    expect(await checkEvalsConfig(evals)).toBe(evals);
    expect(resolveSharedEnvironments(evals, "/project")).toEqual({
      node: { environment: evals.environments.node, dir: "/project" },
    });
    expect(resolveSharedEnvironments({}, "/project")).toEqual({});
  });

  it.each([
    [{ path: [] }, ["path"], 'unknown key "path". Did you mean "paths"?'],
    [{ paths: [] }, ["paths"], "paths is empty"],
    [{ suites: { fast: {} } }, ["suites", "fast"], "suites.fast selects nothing"],
    [{ suites: { fast: { tag: ["a"] } } }, ["suites", "fast", "tag"], 'Did you mean "tags"?'],
    [{ suites: { fast: { tags: ["=a"] } } }, ["suites", "fast", "tags", 0], "names no tag"],
    [
      { environments: { a: { use: "b" } } },
      ["environments", "a", "use"],
      "environments.a: use is only for environments of eval files.",
    ],
    [{ environments: { a: { files: [{}] } } }, ["environments", "a", "files", 0, "dest"], "dest is missing"],
    [3, [], "must be a mapping"],
  ])("rejects %j", async (value, path, text) => {
    const problems = await findEvalsConfigProblems(value);
    expect(problems[0]).toMatchObject({ path, text: expect.stringContaining(text) });
    await expect(checkEvalsConfig(value)).rejects.toMatchObject({
      code: "USAGE",
      message: expect.stringContaining("evals: "),
    });
  });
});
