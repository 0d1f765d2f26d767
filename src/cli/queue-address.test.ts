import { chmodSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { UsageError } from "../core/errors.js";
import { Workspace } from "../testing/workspace.js";
import { queueAddress, queueOf, queuePlaceOf, requireNoQueue, sharedFolder, withoutQueue } from "./queue-address.js";

describe("the address of a queue", () => {
  it("is the one given, or that of ASSAY_QUEUE", () => {
    const env = { ASSAY_QUEUE: "redis://there:1" };
    expect(queueOf("redis://here:1", env)).toBe("redis://here:1");
    expect(queueOf(undefined, env)).toBe("redis://there:1");
  });

  it.each([{}, { ASSAY_QUEUE: "" }])("is asked for where there is none: %o", (env) => {
    expect(() => queueOf(undefined, env)).toThrow(UsageError);
    expect(() => queueOf(undefined, env)).toThrow(
      "There is no queue. Add --queue redis://HOST:6379, or put its address into ASSAY_QUEUE.",
    );
  });

  it.each(["", "host:6379", "http://host:6379", "redis://", "redis://host:none"])("is refused: %j", (url) => {
    expect(() => queueAddress(url, {})).toThrow(/is not the address of a Redis\. Write redis:\/\/HOST:6379\./);
  });

  it("is refused without its password in the message", () => {
    expect(() => queueAddress("http://me:hunter2@host", {})).toThrow('"http://host" is not the address');
  });

  it("gets the password of the environment when it has none of its own", () => {
    const env = { ASSAY_QUEUE_PASSWORD: "p@ss/w:rd" };
    expect(new URL(queueAddress("rediss://me@host:1/2", env))).toMatchObject({
      ...{ protocol: "rediss:", username: "me", password: "p%40ss%2Fw%3Ard", host: "host:1", pathname: "/2" },
    });
    expect(queueAddress("redis://:own@host:1", env)).toBe("redis://:own@host:1");
    expect(queueAddress("redis://host:1", { ASSAY_QUEUE_PASSWORD: "" })).toBe("redis://host:1");
  });
});

describe("the folder that machines share", () => {
  it("is seen from the root", () => {
    const space = new Workspace({ "out/.keep": "" });
    expect(sharedFolder(space.path("out"))).toBe(space.path("out"));
    expect(queuePlaceOf({ queue: "redis://host:1", sharedDir: space.path("out") })).toEqual({
      url: "redis://host:1",
      sharedDir: space.path("out"),
    });
  });

  it("is refused where it is a file, is not there or cannot be used", () => {
    const space = new Workspace({ file: "", "closed/.keep": "" });
    expect(() => sharedFolder(space.path("file"))).toThrow(/--shared-dir \S+\/file is a file, not a folder\./);
    expect(() => sharedFolder(space.path("none"))).toThrow(/is not there\. Make it, or mount it/);
    chmodSync(space.path("closed"), 0o500);
    if (process.getuid?.() !== 0) expect(() => sharedFolder(space.path("closed"))).toThrow(/cannot be used: EACCES/);
  });

  it("is for a run that has a queue", () => {
    expect(() => queuePlaceOf({ sharedDir: "out" })).toThrow(/this run has no queue\. Add --queue, or leave it out/);
    expect(queuePlaceOf({})).toBeNull();
  });
});

it("a command that knows no queue refuses one of the config file", () => {
  expect(() => requireNoQueue({ queue: "redis://host" }, "assay memory")).toThrow(
    "The config file says `queue`, but assay memory runs on this machine alone.",
  );
  expect(() => requireNoQueue({ sharedDir: "out" }, "assay memory")).toThrow("The config file says `sharedDir`");
  expect(() => requireNoQueue({ seed: 1 }, "assay memory")).not.toThrow();
});

it("leaves everything else of a run as it is", () => {
  expect(withoutQueue({ queue: "redis://host", sharedDir: "out", withoutQueue: true, seed: 1 })).toEqual({ seed: 1 });
});
