import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findSpecs } from "./find-specs.js";
import { createSpecFolder } from "./spec-testing.js";

const FILES = Object.fromEntries(
  ["a/eval.yml", "a/b/x.eval.yaml", "a/other.yaml", ".github/c/eval.yaml", "node_modules/d/eval.yaml"].map((name) => [
    name,
    "",
  ]),
);

const WORKFLOW = "name: eval\non: { push: }\nenv: { CI: 1 }\njobs: { eval: { runs-on: ubuntu-latest, steps: [] } }\n";
const CHART = "apiVersion: v2\nname: eval\ndescription: a chart\n";

describe("findSpecs", () => {
  it("skips workflows, hidden folders, and files that are about something else", async () => {
    using folder = createSpecFolder("name: mine\nstimuli: []\n", {
      ".github/workflows/eval.yml": WORKFLOW,
      ".github/workflows/broken.eval.yml": "name: [",
      ".github/skills/tidy/eval.yaml": "stimuli: []\n",
      ".venv/eval.yaml": "stimuli: []\n",
      "ci/eval.yml": WORKFLOW,
      "chart/eval.yaml": CHART,
      "slip/eval.yaml": "name: x\nstimulli: []\n",
      "bare/eval.yaml": "name: x\n",
      "list/eval.yaml": "- a\n",
      "torn/eval.yaml": "stimuli: [\n",
    });
    const found = ["eval.yaml", ".github/skills/tidy/eval.yaml", "slip/eval.yaml", "bare/eval.yaml"];
    const all = [...found, "list/eval.yaml", "torn/eval.yaml"].map((name) => join(folder.path, name));
    expect((await findSpecs([folder.path])).sort()).toEqual(all.sort());
    const named = join(folder.path, "ci/eval.yml");
    expect(await findSpecs([named])).toEqual([named]);
    await expect(findSpecs([join(folder.path, "chart")])).rejects.toThrow("No eval file in");
  });

  it.each([
    { asked: ["."], found: [".github/c/eval.yaml", "a/b/x.eval.yaml", "a/eval.yml", "eval.yaml"] },
    { asked: ["a/other.yaml"], found: ["a/other.yaml"] },
    { asked: ["*/*.yaml"], found: ["a/other.yaml"] },
    { asked: ["**/*eval.{yaml,yml}"], found: [".github/c/eval.yaml", "a/b/x.eval.yaml", "a/eval.yml", "eval.yaml"] },
    { asked: ["a/**/eval.yml", "a", "a/eval.yml"], found: ["a/eval.yml", "a/b/x.eval.yaml"] },
    { asked: ["a/../a/b"], found: ["a/b/x.eval.yaml"] },
  ])("$asked", async ({ asked, found }) => {
    using folder = createSpecFolder("", FILES);
    const paths = asked.map((path) => (path === "." ? folder.path : `${folder.path}/${path}`));
    expect((await findSpecs(paths)).map((path) => path)).toEqual(found.map((name) => join(folder.path, name)));
  });

  it("reports when there is nothing", async () => {
    using folder = createSpecFolder("", { "empty/x": "" });
    await expect(findSpecs([join(folder.path, "gone")])).rejects.toThrow("No eval file or folder");
    await expect(findSpecs([join(folder.path, "empty")])).rejects.toThrow("name it eval.yaml");
    await expect(findSpecs([join(folder.path, "*.yml")])).rejects.toMatchObject({ code: "USAGE" });
  });
});
