import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { parse } from "yaml";
import { UsageError } from "../core/errors.js";
import { TempProject } from "../testing/temp-project.js";
import { executeInit, type InitOptions } from "./init.js";

interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command for a folder and collects its output. */
async function init(folder: string, options: InitOptions = {}): Promise<Said> {
  const said = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      said[name] += String(text);
      return true;
    }),
  );
  try {
    return { code: await executeInit(folder, options), ...said };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const EVAL = "evals/changelog/eval.yaml";
const executorIn = (space: TempProject) =>
  (parse(space.read(EVAL)) as { defaults: { executor: string } }).defaults.executor;

describe("assay init", () => {
  it("writes and lists its files, and creates the folder", async () => {
    const space = new TempProject();
    const { code, stdout, stderr } = await init(space.path("new/folder"), { executor: "codex" });
    expect(code).toBe(0);
    const files = stdout.trimEnd().split("\n");
    expect(files).toContain(space.path("new/folder", EVAL));
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    expect(stderr).toContain(`  cd ${space.path("new/folder")}\n`);
    expect(stderr).toContain("assay lint");
  });

  it("names the given agent, a command included, as valid YAML", async () => {
    const names = ["gemini", `node "my agent.mjs" --say '{prompt}: $& yes' {skills}`];
    for (const executor of names) {
      const space = new TempProject();
      await init(space.dir, { executor });
      expect(executorIn(space)).toBe(executor);
    }
  });

  it("names an installed agent, else a tiny one that it writes, and says when there is none", async () => {
    const space = new TempProject({ "bin/x": "" });
    vi.stubEnv("PATH", space.path("bin"));
    onTestFinished(() => void vi.unstubAllEnvs());
    const { stderr } = await init(space.dir);
    expect(executorIn(space)).toBe("node tiny-agent.mjs {prompt} {skills}");
    expect(existsSync(space.path("tiny-agent.mjs"))).toBe(true);
    expect(stderr).toContain("No agent is installed");
  });

  const SCHEMA_LINE = /^# yaml-language-server: \$schema=(.*)\n/;
  const YAML_FILES = { "assay.config.yaml": "config", [EVAL]: "eval", "experiment.yaml": "experiment" };

  it.each([
    ["beside", { "node_modules/assay/schemas/x": "" }, "."],
    ["above", { "node_modules/assay/schemas/x": "", "package/package.json": "{}" }, "package/new"],
    ["nowhere, in a package", { "package/package.json": "{}" }, "package/new"],
    ["nowhere", {}, "new"],
  ])("points editors to the schemas of an installed package: %s", async (place, files, folder) => {
    const space = new TempProject(files);
    const { stderr } = await init(space.path(folder), { executor: "pi" });
    const project = { above: ".", "nowhere, in a package": "package", nowhere: "new", beside: "." }[place] ?? "";
    for (const [file, kind] of Object.entries(YAML_FILES)) {
      const [, path = ""] = SCHEMA_LINE.exec(space.read(join(folder, file))) ?? [];
      expect(path).toMatch(/^\.\.?\//);
      expect(join(dirname(space.path(folder, file)), path)).toBe(
        space.path(project, `node_modules/assay/schemas/${kind}.schema.json`),
      );
    }
    expect(stderr.includes("once it is installed here")).toBe(place.startsWith("nowhere"));
  });

  it("overwrites nothing, and then writes nothing, without --force", async () => {
    const space = new TempProject({ [EVAL]: "mine\n" });
    await expect(init(space.dir, { executor: "pi" })).rejects.toThrow(/eval\.yaml already exists\..*--force/);
    expect(space.read(EVAL)).toBe("mine\n");
    expect(existsSync(space.path("assay.config.yaml"))).toBe(false);
    await init(space.dir, { executor: "pi", force: true });
    expect(executorIn(space)).toBe("pi");
    await expect(init(space.dir)).rejects.toThrow(/already exist/);
  });

  it("rejects an unknown agent before anything is written", async () => {
    const space = new TempProject();
    await expect(init(space.dir, { executor: "claud" })).rejects.toThrow(UsageError);
    expect(existsSync(space.path("evals"))).toBe(false);
  });

  it.each(["evals", "evals/changelog"])("does not follow a link out of the folder: %s", async (link) => {
    const space = new TempProject({ "mine/keep": "" });
    mkdirSync(space.path("target/evals"), { recursive: true });
    const at = space.path(link === "evals" ? "linked" : "target", link);
    mkdirSync(join(at, ".."), { recursive: true });
    symlinkSync(space.path("mine"), at);
    const target = space.path(link === "evals" ? "linked" : "target");
    await expect(init(target, { executor: "pi", force: true })).rejects.toThrow(/is a link that leads out of/);
    expect(readdirSync(space.path("mine"))).toEqual(["keep"]);
    expect(existsSync(join(target, "assay.config.yaml"))).toBe(false);
  });

  it("does not write through a link to a file, existing or not", async () => {
    for (const there of [true, false]) {
      const space = new TempProject(there ? { "mine.yaml": "mine\n" } : {});
      mkdirSync(space.path("target"));
      symlinkSync(space.path("mine.yaml"), space.path("target/assay.config.yaml"));
      await expect(init(space.path("target"), { executor: "pi", force: true })).rejects.toThrow(/leads out of/);
      expect(existsSync(space.path("mine.yaml"))).toBe(there);
      expect(existsSync(space.path("target/evals"))).toBe(false);
    }
  });

  it("accepts a folder that is a link itself, and links within it", async () => {
    const space = new TempProject();
    mkdirSync(space.path("real/elsewhere"), { recursive: true });
    symlinkSync("elsewhere", space.path("real/evals"));
    symlinkSync(space.path("real"), space.path("link"));
    expect((await init(space.path("link"), { executor: "pi" })).code).toBe(0);
    expect(existsSync(space.path("real/elsewhere/changelog/eval.yaml"))).toBe(true);
  });

  it("reports what cannot be written", async () => {
    const space = new TempProject({ evals: "a file" });
    mkdirSync(space.path("skills"));
    await expect(init(space.dir, { executor: "pi" })).rejects.toThrow(/eval\.yaml cannot be written: /);
  });
});
