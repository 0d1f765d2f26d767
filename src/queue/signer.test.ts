import { describe, expect, it } from "vitest";
import { createSigner } from "./signer.js";

const LONG = "0123456789abcdef";

describe("a Redis that needs no secret", () => {
  it.each(["redis://127.0.0.1:6379", "redis://localhost", "rediss://:pass@[::1]:6380/2"])("%s", (url) => {
    expect(createSigner(url, "").signJob("run", 1, false)).toBe(createSigner(url, "").signJob("run", 1, false));
  });

  it.each(["redis://queue:6379", "rediss://:pass@10.0.0.7", "redis://127.0.0.1.example.org"])("not %s", (url) => {
    expect(() => createSigner(url, "")).toThrow(
      /is on another machine, but ASSAY_QUEUE_SECRET is not set.*generate one with: openssl rand -hex 32$/,
    );
    expect(createSigner(url, LONG)).toBeDefined();
  });

  it("rejects a secret that can be guessed", () => {
    expect(() => createSigner("redis://127.0.0.1", "hunter2")).toThrow("has 7 characters, but needs at least 16");
  });
});

describe("a signature", () => {
  const signer = createSigner("redis://queue", LONG);

  it("is valid for one run, one trial and one purpose", () => {
    const signature = signer.signJob("run", 12, false);
    expect(signer.isJobSigned("run", { index: 12, signature })).toBe(true);
    expect(signer.isJobSigned("run", { index: 1, signature })).toBe(false);
    expect(signer.isJobSigned("run", { index: 12, again: true, signature })).toBe(false);
    expect(signer.isJobSigned("run1", { index: 2, signature })).toBe(false);
    expect(signer.isJobSigned("run", { index: 12 })).toBe(false);
    const results = signer.signResults("run", Buffer.from("data"));
    expect(signer.openResults("run", results).toString()).toBe("data");
    expect(() => signer.openResults("other", results)).toThrow("not signed");
  });
});
