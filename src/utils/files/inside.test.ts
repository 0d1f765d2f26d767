import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { TempProject } from "../../testing/temp-project.js";
import { isInsideDir, openFileInside, readFileInside } from "./inside.js";

let outside: TempProject;
let dir = "";

beforeEach(() => {
  outside = new TempProject({ "secret.txt": "do not show" });
  dir = outside.path("run");
  mkdirSync(join(dir, "outputs"), { recursive: true });
  writeFileSync(join(dir, "rows.jsonl"), "rows");
});

describe("openFileInside", () => {
  it("opens files in the folder, also through a link within it", () => {
    writeFileSync(join(dir, "outputs", "a.json"), "an output");
    symlinkSync("outputs/a.json", join(dir, "link"));
    expect(readFileInside(dir, "rows.jsonl")).toBe("rows");
    expect(readFileInside(dir, "outputs/../link")).toBe("an output");
    const linked = outside.path("linked");
    symlinkSync(dir, linked);
    const file = openFileInside(linked, "rows.jsonl");
    expect(readFileSync(file, "utf8")).toBe("rows");
    closeSync(file);
  });

  it.each(["../secret.txt", "outputs/../../secret.txt", "link", "folder/secret.txt", "chain"])(
    "rejects %s, which leads outside",
    (name) => {
      symlinkSync("../secret.txt", join(dir, "link"));
      symlinkSync(outside.dir, join(dir, "folder"));
      symlinkSync("link", join(dir, "chain"));
      expect(() => readFileInside(dir, name)).toThrow(`${name} leads outside of the folder`);
    },
  );

  it("rejects a folder whose name only has the same prefix", () => {
    mkdirSync(`${dir}-2`);
    writeFileSync(join(`${dir}-2`, "rows.jsonl"), "others");
    expect(() => readFileInside(dir, "../run-2/rows.jsonl")).toThrow("leads outside of the folder");
    expect(isInsideDir("/", "/a")).toBe(true);
  });

  it.skipIf(process.platform === "win32")("rejects pipes, devices and folders without blocking", () => {
    execFileSync("mkfifo", [join(dir, "pipe")]);
    symlinkSync("/dev/zero", join(dir, "device"));
    expect(() => readFileInside(dir, "pipe")).toThrow("pipe is not a regular file");
    expect(() => readFileInside(dir, "device")).toThrow("leads outside of the folder");
    expect(() => readFileInside(dir, "outputs")).toThrow("outputs is not a regular file");
  });
});
