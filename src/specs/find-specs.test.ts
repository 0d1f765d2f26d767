import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findSpecs } from "./find-specs.js";
import { specFolder } from "./spec-testing.js";

const FILES = Object.fromEntries(
  ["a/eval.yml", "a/b/x.eval.yaml", "a/other.yaml", ".github/c/eval.yaml", "node_modules/d/eval.yaml"].map((name) => [
    name,
    "",
  ]),
);

describe("findSpecs", () => {
  it.each([
    { asked: ["."], found: [".github/c/eval.yaml", "a/b/x.eval.yaml", "a/eval.yml", "eval.yaml"] },
    { asked: ["a/other.yaml"], found: ["a/other.yaml"] },
    { asked: ["*/*.yaml"], found: ["a/other.yaml"] },
    { asked: ["**/*eval.{yaml,yml}"], found: [".github/c/eval.yaml", "a/b/x.eval.yaml", "a/eval.yml", "eval.yaml"] },
    { asked: ["a/**/eval.yml", "a", "a/eval.yml"], found: ["a/eval.yml", "a/b/x.eval.yaml"] },
    { asked: ["a/../a/b"], found: ["a/b/x.eval.yaml"] },
  ])("$asked", async ({ asked, found }) => {
    using folder = specFolder("", FILES);
    const paths = asked.map((path) => (path === "." ? folder.path : `${folder.path}/${path}`));
    expect((await findSpecs(paths)).map((path) => path)).toEqual(found.map((name) => join(folder.path, name)));
  });

  it("says when there is nothing", async () => {
    using folder = specFolder("", { "empty/x": "" });
    await expect(findSpecs([join(folder.path, "gone")])).rejects.toThrow("There is no eval file or folder");
    await expect(findSpecs([join(folder.path, "empty")])).rejects.toThrow("it should be called eval.yaml");
    await expect(findSpecs([join(folder.path, "*.yml")])).rejects.toMatchObject({ code: "USAGE" });
  });
});
