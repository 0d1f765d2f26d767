import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import { expect, it } from "vitest";
import { QueueError } from "../core/errors.js";
import { TempProject } from "../testing/temp-project.js";
import { makeSharedFolder, removeSharedFolder } from "./stored-output.js";

const KEY = "run-00000000";
const NAME = `${"0f".repeat(16)}.json`;

it("is created with the permissions of its parent, and group-writable", () => {
  const space = new TempProject();
  mkdirSync(space.path("shared"));
  chmodSync(space.path("shared"), 0o1755);
  makeSharedFolder(space.path("shared"), KEY);
  expect(statSync(space.path(`shared/${KEY}`)).mode & 0o1777).toBe(0o775);
  expect(() => makeSharedFolder(space.path("none"), KEY)).toThrow(QueueError);
  expect(existsSync(space.path("none"))).toBe(false);
});

it("is removed with the files of workers, and nothing else is", () => {
  const space = new TempProject({
    [`shared/${KEY}/${NAME}`]: "{}",
    [`shared/${KEY}/${NAME}.12.0123abcd.tmp`]: "{",
    [`shared/other-00000000/${NAME}`]: "{}",
    "shared/other-00000000/mine.txt": "",
    [`run/outputs/${NAME}`]: "{}",
  });
  for (const key of [KEY, "other-00000000"]) removeSharedFolder(space.path("shared"), key);
  for (const key of ["outputs", "../run/outputs"]) removeSharedFolder(space.path("run"), key);
  expect(existsSync(space.path(`shared/${KEY}`))).toBe(false);
  expect(existsSync(space.path("shared/other-00000000/mine.txt"))).toBe(true);
  expect(existsSync(space.path(`run/outputs/${NAME}`))).toBe(true);
});
