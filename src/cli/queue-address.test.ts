import { chmodSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { UsageError } from "../core/errors.js";
import { TempProject } from "../testing/temp-project.js";
import {
  requireNoQueue,
  requireQueueUrl,
  requireSharedFolder,
  resolveQueueUrl,
  resolveRunQueue,
} from "./queue-address.js";
import { dropQueueFlags } from "./run-flags.js";

describe("queue address", () => {
  it("is the given one, or ASSAY_QUEUE", () => {
    const env = { ASSAY_QUEUE: "redis://there:1" };
    expect(requireQueueUrl("redis://here:1", env)).toBe("redis://here:1");
    expect(requireQueueUrl(undefined, env)).toBe("redis://there:1");
  });

  it.each([{}, { ASSAY_QUEUE: "" }])("is required: %o", (env) => {
    expect(() => requireQueueUrl(undefined, env)).toThrow(UsageError);
    expect(() => requireQueueUrl(undefined, env)).toThrow(
      "No queue is given. Add --queue redis://HOST:6379, or set ASSAY_QUEUE.",
    );
  });

  it.each(["", "host:6379", "http://host:6379", "redis://", "redis://host:none"])("is rejected: %j", (url) => {
    expect(() => resolveQueueUrl(url, {})).toThrow(/is not a Redis address\. Write redis:\/\/HOST:6379\./);
  });

  it("is rejected without its password in the message", () => {
    expect(() => resolveQueueUrl("http://me:hunter2@host", {})).toThrow('"http://host" is not a Redis address');
  });

  it("gets the password from the environment if it has none", () => {
    const env = { ASSAY_QUEUE_PASSWORD: "p@ss/w:rd" };
    expect(new URL(resolveQueueUrl("rediss://me@host:1/2", env))).toMatchObject({
      ...{ protocol: "rediss:", username: "me", password: "p%40ss%2Fw%3Ard", host: "host:1", pathname: "/2" },
    });
    expect(resolveQueueUrl("redis://:own@host:1", env)).toBe("redis://:own@host:1");
    expect(resolveQueueUrl("redis://host:1", { ASSAY_QUEUE_PASSWORD: "" })).toBe("redis://host:1");
  });
});

describe("shared folder", () => {
  it("is an absolute path", () => {
    const space = new TempProject({ "out/.keep": "" });
    expect(requireSharedFolder(space.path("out"))).toBe(space.path("out"));
    expect(resolveRunQueue({ queue: "redis://host:1", sharedDir: space.path("out") })).toEqual({
      url: "redis://host:1",
      sharedDir: space.path("out"),
    });
  });

  it("is rejected if it is a file, missing or unusable", () => {
    const space = new TempProject({ file: "", "closed/.keep": "" });
    expect(() => requireSharedFolder(space.path("file"))).toThrow(/--shared-dir \S+\/file is a file, not a folder\./);
    expect(() => requireSharedFolder(space.path("none"))).toThrow(/does not exist\. Create it, or mount it/);
    chmodSync(space.path("closed"), 0o500);
    if (process.getuid?.() !== 0)
      expect(() => requireSharedFolder(space.path("closed"))).toThrow(/cannot be used: EACCES/);
  });

  it("requires a queue", () => {
    expect(() => resolveRunQueue({ sharedDir: "out" })).toThrow(
      /is only for runs with a queue\. Add --queue, or remove it/,
    );
    expect(resolveRunQueue({})).toBeNull();
  });
});

it("rejects a queue of the config file for commands without one", () => {
  expect(() => requireNoQueue({ queue: "redis://host" }, "assay memory")).toThrow(
    "The config file sets `queue`, but assay memory runs only on this machine.",
  );
  expect(() => requireNoQueue({ sharedDir: "out" }, "assay memory")).toThrow("The config file sets `sharedDir`");
  expect(() => requireNoQueue({ seed: 1 }, "assay memory")).not.toThrow();
});

it("leaves everything else of a run unchanged", () => {
  expect(dropQueueFlags({ queue: "redis://host", sharedDir: "out", withoutQueue: true, seed: 1 })).toEqual({ seed: 1 });
});
