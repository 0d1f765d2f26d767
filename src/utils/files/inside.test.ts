import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { Workspace } from "../../testing/workspace.js";
import { isBelow, openInside, readInside } from "./inside.js";

let outside: Workspace;
let dir = "";

beforeEach(() => {
  outside = new Workspace({ "secret.txt": "do not show" });
  dir = outside.path("run");
  mkdirSync(join(dir, "outputs"), { recursive: true });
  writeFileSync(join(dir, "rows.jsonl"), "rows");
});

describe("openInside", () => {
  it("opens files of the folder, also by a link within it", () => {
    writeFileSync(join(dir, "outputs", "a.json"), "an output");
    symlinkSync("outputs/a.json", join(dir, "link"));
    expect(readInside(dir, "rows.jsonl")).toBe("rows");
    expect(readInside(dir, "outputs/../link")).toBe("an output");
    const linked = outside.path("linked");
    symlinkSync(dir, linked);
    const file = openInside(linked, "rows.jsonl");
    expect(readFileSync(file, "utf8")).toBe("rows");
    closeSync(file);
  });

  it.each(["../secret.txt", "outputs/../../secret.txt", "link", "folder/secret.txt", "chain"])(
    "refuses %s, which leads out of it",
    (name) => {
      symlinkSync("../secret.txt", join(dir, "link"));
      symlinkSync(outside.dir, join(dir, "folder"));
      symlinkSync("link", join(dir, "chain"));
      expect(() => readInside(dir, name)).toThrow(`${name} leads out of the folder`);
    },
  );

  it("does not take a folder for one whose name it begins with", () => {
    mkdirSync(`${dir}-2`);
    writeFileSync(join(`${dir}-2`, "rows.jsonl"), "others");
    expect(() => readInside(dir, "../run-2/rows.jsonl")).toThrow("leads out of the folder");
    expect(isBelow("/", "/a")).toBe(true);
  });

  it.skipIf(process.platform === "win32")("refuses pipes, devices and folders, and waits for none", () => {
    execFileSync("mkfifo", [join(dir, "pipe")]);
    symlinkSync("/dev/zero", join(dir, "device"));
    expect(() => readInside(dir, "pipe")).toThrow("pipe is no ordinary file");
    expect(() => readInside(dir, "device")).toThrow("leads out of the folder");
    expect(() => readInside(dir, "outputs")).toThrow("outputs is no ordinary file");
  });
});
