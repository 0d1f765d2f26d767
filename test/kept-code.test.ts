import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import Module from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Finished, LAUNCHER, reportOf, start } from "./assay.js";
import { Workspace } from "./workspace.js";

/** What Nodes from 22.8 keep is theirs to test. */
const keepsItself = "enableCompileCache" in Module;

describe.skipIf(keepsItself)("compiled code that is kept for the next start", () => {
  const folderOf = (command: string) => join("cache/assay/code", `${process.version}-${process.arch}`, command);

  function run(workspace: Workspace, args: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
    return start(workspace.dir, args, { XDG_CACHE_HOME: workspace.path("cache"), ...env }).finished;
  }

  function filesOf(workspace: Workspace, command: string): string[] {
    const folder = workspace.path(folderOf(command));
    return readdirSync(folder).map((name) => join(folder, name));
  }

  const demo = ["demo", "--output", "json"];
  const scoresOf = (finished: Finished) =>
    Object.entries(reportOf(finished).summary).map(([system, { mean_score }]) => [system, mean_score]);

  it("is one file for each that was loaded, by command, and used as it is", async () => {
    const workspace = new Workspace();
    const first = await run(workspace, demo);
    const files = filesOf(workspace, "demo");
    expect(files.map((file) => file.replace(/.*\/(\w+)-.{8}\.cjs\.bin$/, "$1"))).toEqual(
      expect.arrayContaining(["assay", "main", "start"]),
    );
    const before = files.map((file) => statSync(file).mtimeMs);
    const second = await run(workspace, demo);
    expect({ code: second.code, stderr: second.stderr.length }).toEqual({ code: 0, stderr: first.stderr.length });
    expect(scoresOf(second)).toEqual(scoresOf(first));
    expect(filesOf(workspace, "demo")).toEqual(files);
    expect(files.map((file) => statSync(file).mtimeMs)).toEqual(before);
    await run(workspace, ["datasets"]);
    expect(readdirSync(workspace.path(folderOf(".")))).toEqual(["datasets", "demo"]);
  });

  it("can import packages and modules of the user", async () => {
    const workspace = new Workspace({
      "plugin.mjs":
        'export const register = (r) => r.register("system", "up", { name: "up", process: () => ({ response: "" }) });',
      "assay.config.yaml": "systems: [up]\nplugins: [./plugin.mjs]\nseed: 7\n",
      "data.jsonl": [{ id: 1, question: "q", answer: "a" }],
    });
    for (const _ of ["fresh", "kept"]) {
      const { code, stderr, stdout } = await run(workspace, ["run", "--dataset", "data.jsonl", "--quiet"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^Stored in /) });
      expect(stdout).toContain("seed 7");
    }
  });

  it("is made again when it was damaged or is another Node's, and does without where nothing can be written", async () => {
    const workspace = new Workspace();
    await run(workspace, ["datasets"]);
    const files = filesOf(workspace, "datasets");
    const whole = files.map((file) => readFileSync(file));
    for (const [i, damage] of [damageMiddle, cutShort, empty].entries())
      writeFileSync(files[i] as string, damage(whole[i] as Buffer));
    const { code, stderr, stdout } = await run(workspace, ["datasets"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("needle");
    expect(files.slice(0, 3).map((file) => readFileSync(file).length > 1000)).toEqual([true, true, true]);
    const elsewhere = await run(workspace, ["datasets"], { XDG_CACHE_HOME: "/proc/nowhere" });
    expect(elsewhere).toMatchObject({ code: 0, stderr: "", stdout });
  });

  it("replaces what other builds have left, but for what is of today", async () => {
    const workspace = new Workspace();
    await run(workspace, ["datasets"]);
    const own = filesOf(workspace, "datasets");
    const [file = ""] = own;
    const [old, recent, torn] = ["-12345678.cjs.bin", "-abcdefgh.cjs.bin", "-12345678.cjs.bin.99"].map((end) =>
      file.replace(/-.{8}\.cjs\.bin$/, end),
    ) as [string, string, string];
    for (const left of [old, recent, torn]) writeFileSync(left, "x");
    for (const left of [...own, old, torn]) utimesSync(left, 0, 0);
    writeFileSync(file, "");
    await run(workspace, ["datasets"]);
    expect(filesOf(workspace, "datasets").sort()).toEqual([...own, recent].sort());
    expect(statSync(file).size).toBeGreaterThan(1000);
  });

  it("leaves nothing behind that could not be written to its end", async () => {
    const workspace = new Workspace();
    const script = `ulimit -f 20; exec "$0" "$@"`;
    const args = ["-c", script, process.execPath, LAUNCHER, "datasets"];
    const env = { ...process.env, XDG_CACHE_HOME: workspace.path("cache") };
    execFileSync("bash", args, { cwd: workspace.dir, env });
    expect(filesOf(workspace, "datasets").filter((name) => !name.endsWith(".bin"))).toEqual([]);
  });

  it("is that of its source: a file that was changed by hand runs as it is", async () => {
    const workspace = new Workspace();
    const root = workspace.path("copy");
    for (const part of ["bin", "dist", "data", "package.json"])
      cpSync(join(dirname(LAUNCHER), "..", part), join(root, part), { recursive: true });
    symlinkSync(join(dirname(LAUNCHER), "../node_modules"), join(root, "node_modules"));
    const env = { ...process.env, XDG_CACHE_HOME: workspace.path("cache") };
    const list = () =>
      execFileSync(process.execPath, [join(root, "bin/assay.js"), "datasets"], { env, encoding: "utf8" });
    expect(list()).toContain("primary score");
    const chunks = join(root, "dist/chunks");
    for (const name of readdirSync(chunks)) {
      const text = readFileSync(join(chunks, name), "utf8");
      if (text.includes('"primary score"'))
        writeFileSync(join(chunks, name), text.replace('"primary score"', '"PRIMARY SCORE"'));
    }
    expect(list()).toContain("PRIMARY SCORE");
  });

  it("leaves modules of the user to Node", async () => {
    const workspace = new Workspace({
      "plugin.cjs": `exports.register = (registry) => {
        require("./strict.mjs");
        registry.register("system", "up", { name: "up", process: () => ({ response: globalThis.found }) });
      };`,
      "strict.mjs": "globalThis.found = typeof require + ' ' + (function () { return this === undefined; })();",
      "data.jsonl": [{ id: 1, question: "q", answer: "undefined true" }],
    });
    const args = ["run", "--plugin", "./plugin.cjs", "--system", "up", "--dataset", "data.jsonl", "--output", "json"];
    expect(reportOf(await run(workspace, args)).summary.up?.pass_rate).toBe(1);
  });

  it("is not kept of what was not understood, nor when it is not wanted", async () => {
    const workspace = new Workspace();
    expect((await run(workspace, ["dtasets"])).code).toBe(2);
    expect((await run(workspace, ["datasets", "--help"])).code).toBe(0);
    expect((await run(workspace, ["--version"])).code).toBe(0);
    expect((await run(workspace, ["datasets"], { NODE_DISABLE_COMPILE_CACHE: "1" })).code).toBe(0);
    expect(readdirSync(workspace.dir)).toEqual([]);
  });
});

function damageMiddle(bytes: Buffer): Buffer {
  const damaged = Buffer.from(bytes);
  damaged.fill(0x55, damaged.length >> 1, (damaged.length >> 1) + 64);
  return damaged;
}

function cutShort(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length - 100);
}

function empty(): Buffer {
  return Buffer.alloc(0);
}
