import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { DatasetError, UsageError } from "../../core/errors.js";
import type { HubPlan } from "./scripted-hub.js";
import { createRandomBytes, createRepo, TestHub } from "./test-hub.js";

let bench: TestHub;
afterEach(() => bench.close());

const begin = async (plan: HubPlan) => {
  bench = await TestHub.start(plan);
  return bench;
};
const TOY = { "me/toy": createRepo({ "test.jsonl": Buffer.from("{}\n"), "data/a.parquet": createRandomBytes(100) }) };

describe("listing", () => {
  it("returns the commit, and each file with its size and hash", async () => {
    const { server } = await begin({ repos: TOY });
    const listing = await bench.openHub().listing("me/toy");
    expect(listing.repo).toBe("me/toy");
    expect(listing.revision).toBe(server.commit("me/toy"));
    expect(listing.files).toEqual([
      { path: "data/a.parquet", size: 100, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      // From git itself: printf '{}\n' | git hash-object --stdin
      { path: "test.jsonl", size: 3, gitSha1: "0967ef424bce6791893e9a57bb952f80fd536e93" },
    ]);
    expect(bench.takeRequests()).toEqual([
      "GET /api/datasets/me/toy/revision/main 200",
      `GET /api/datasets/me/toy/tree/${listing.revision} 200`,
    ]);
  });

  it("resolves a branch once per session, and lists a commit only once", async () => {
    await begin({ repos: TOY });
    const hub = bench.openHub();
    await Promise.all([hub.listing("me/toy"), hub.listing("me/toy", "main")]);
    expect(bench.takeRequests()).toHaveLength(2);
    const { revision } = await bench.openHub().listing("me/toy");
    expect(bench.takeRequests()).toEqual(["GET /api/datasets/me/toy/revision/main 200"]);
    await bench.openHub().listing("me/toy", revision);
    expect(bench.takeRequests()).toEqual([]);
  });

  it("joins the pages of a long list", async () => {
    const files = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`part-${i}.csv`, Buffer.from(`${i}`)]));
    await begin({ repos: { "me/long": createRepo(files) }, pageSize: 10 });
    const listing = await bench.openHub().listing("me/long");
    expect(listing.files.map(({ path }) => path).sort()).toEqual(Object.keys(files).sort());
    expect(bench.takeRequests()).toHaveLength(4);
  });

  it("reads a branch whose name has slashes", async () => {
    const files = { "default/test/0000.parquet": createRandomBytes(10) };
    const { server } = await begin({
      repos: { "me/toy": { revisions: { main: { files: {} }, "refs/convert/parquet": { files } } } },
    });
    const { revision } = await bench.openHub().listing("me/toy", "refs/convert/parquet");
    expect(revision).toBe(server.commit("me/toy", "refs/convert/parquet"));
  });

  it("follows a moved repository, notes it, and finds it offline by its old name", async () => {
    await begin({ repos: { ...TOY, "old/toy": { revisions: {}, movedTo: "me/toy" } } });
    const hub = bench.openHub();
    const listing = await hub.listing("old/toy");
    expect(listing.repo).toBe("me/toy");
    expect(bench.notes).toEqual(["old/toy has moved to me/toy."]);
    await hub.download(listing, "test.jsonl");
    expect(await bench.openHub({ offline: true }).listing("old/toy")).toEqual(listing);
  });

  it("works offline afterwards, and explains what to do if it was never listed", async () => {
    await begin({ repos: TOY });
    const listing = await bench.openHub().listing("me/toy");
    bench.takeRequests();
    const offline = bench.openHub({ env: { HF_HUB_OFFLINE: "1", HOME: bench.cacheDir } });
    expect(await offline.listing("me/toy")).toEqual(listing);
    await expect(offline.listing("me/other")).rejects.toThrow(
      /me\/other at main is not in the cache.*Run the same command once without HF_HUB_OFFLINE/,
    );
    expect(bench.takeRequests()).toEqual([]);
  });

  it("uses the cache with a note while the hub cannot be reached", async () => {
    await begin({ repos: TOY });
    const listing = await bench.openHub().listing("me/toy");
    await bench.server.close();
    expect(await bench.openHub().listing("me/toy")).toEqual(listing);
    expect(bench.notes).toEqual([expect.stringMatching(/^me\/toy: using the cached version \([0-9a-f]{12}\)/)]);
  });

  it("ignores a damaged listing in the cache", async () => {
    await begin({ repos: TOY });
    const listing = await bench.openHub().listing("me/toy");
    const dir = join(bench.cacheDir, "datasets--me--toy", ".assay", "listings");
    for (const name of readdirSync(dir)) writeFileSync(join(dir, name), '{"repo":"me/toy","files":[{"pa');
    expect(await bench.openHub().listing("me/toy")).toEqual(listing);
  });

  it.each(["../../etc/passwd", "a/../../b", "/etc/passwd", "a//b", "a\\..\\b", "."])(
    "rejects a repository that lists %o",
    async (path) => {
      await begin({ repos: { "me/evil": createRepo({ [path]: Buffer.from("x") }) } });
      await expect(bench.openHub().listing("me/evil")).rejects.toThrow(/is outside the repository/);
    },
  );

  it.each(["a/b/c", "../x", "a/..", "", "a b", ".x/y"])("rejects the name %o", async (repo) => {
    await begin({ repos: TOY });
    await expect(bench.openHub().listing(repo)).rejects.toThrow(UsageError);
    expect(bench.takeRequests()).toEqual([]);
  });

  it.each(["..", "a/../b", ".", "", "a b", "x?y"])("rejects the revision %o", async (revision) => {
    await begin({ repos: TOY });
    await expect(bench.openHub().listing("me/toy", revision)).rejects.toThrow(UsageError);
  });
});

describe("a refusal by the hub", () => {
  const SECRET = { ...TOY["me/toy"], token: "good-token" };
  const repos = { ...TOY, "me/gated": { ...SECRET, isGated: true }, "me/private": { ...SECRET, isPrivate: true } };

  it.each([
    ["none/such", {}, /No dataset none\/such on 127.*Check its name, or set HF_TOKEN if it is private/],
    ["none/such", { token: "good-token" }, /No dataset none\/such.*that HF_TOKEN may read it/],
    ["me/private", {}, /No dataset me\/private/],
    ["me/gated", {}, /is gated\. Open http.*\/datasets\/me\/gated, accept its terms, and set HF_TOKEN; then run again/],
    ["me/gated", { token: "other-token" }, /is gated.*with the account that HF_TOKEN belongs to/],
    ["me/toy", { token: "bad-token" }, /rejects the token\. Create a new one/],
  ])("for %s with %o explains what to do", async (repo, options, message) => {
    await begin({ repos });
    const error = await bench
      .openHub(options)
      .listing(repo)
      .catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(DatasetError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toMatch(/(?:good|bad|other)-token/);
    expect(bench.waits).toEqual([]);
  });

  it("names the missing revision", async () => {
    await begin({ repos });
    await expect(bench.openHub().listing("me/toy", "v9")).rejects.toThrow('me/toy has no revision "v9"');
  });

  it("does not occur with the token", async () => {
    await begin({ repos });
    for (const repo of ["me/gated", "me/private"]) {
      const hub = bench.openHub({ token: "good-token" });
      const listing = await hub.listing(repo);
      await hub.download(listing, "data/a.parquet");
    }
    const { requests } = bench.server;
    expect(requests.filter(({ server }) => server === "hub").every((each) => each.authorization !== null)).toBe(true);
  });

  it("is explained if the answer is not JSON", async () => {
    await begin({ repos, faults: [{ kind: "text", text: "<html>Sign in</html>" }] });
    await expect(bench.openHub().listing("me/toy")).rejects.toThrow(/did not answer with JSON.*HF_ENDPOINT/);
  });

  it.each(['{"id":"me/toy"}', "[]", '{"sha":"../../x"}', "null"])(
    "is explained if the answer is not the hub's: %s",
    async (text) => {
      await begin({ repos, faults: [{ kind: "text", text }] });
      await expect(bench.openHub().listing("me/toy")).rejects.toThrow(/does not answer like the hub.*HF_ENDPOINT/);
    },
  );
});

describe("network problems", () => {
  it("are retried after the delay that the server asks for", async () => {
    await begin({
      repos: TOY,
      faults: [
        { kind: "status", status: 429, headers: { "retry-after": "7" } },
        { kind: "status", status: 500 },
        { kind: "reset" },
      ],
    });
    await bench.openHub().listing("me/toy");
    expect(bench.waits).toEqual([7250, 1000, 2000]);
  });

  it("fail after five tries", async () => {
    await begin({ repos: TOY, faults: [{ kind: "status", status: 503, times: 99 }] });
    const failing = bench.openHub().listing("me/toy");
    await expect(failing).rejects.toThrow(/has an internal problem \(503\).*Tried 5 times/);
    await expect(failing).rejects.toMatchObject({ code: "HUB", exitCode: 3 });
    expect(bench.takeRequests()).toHaveLength(5);
  });

  it("fail at once if the server asks for too long a delay", async () => {
    await begin({ repos: TOY, faults: [{ kind: "status", status: 429, headers: { "retry-after": "3600" } }] });
    await expect(bench.openHub().listing("me/toy")).rejects.toThrow(
      /too many requests \(429\) and asks to wait 3600 s/,
    );
    expect(bench.waits).toEqual([]);
  });

  it("name HF_ENDPOINT and HF_HUB_OFFLINE if there is no answer", async () => {
    await begin({ repos: TOY });
    await bench.server.close();
    await expect(bench.openHub().listing("me/toy")).rejects.toThrow(
      /cannot be reached: the connection was refused.*HF_ENDPOINT.*HF_HUB_OFFLINE=1/,
    );
    await expect(bench.openHub({ endpoint: "http://no-such-host.invalid" }).listing("me/toy")).rejects.toThrow(
      /no-such-host\.invalid cannot be reached/,
    );
  });

  it("abort an idle request", async () => {
    await begin({ repos: TOY });
    const silent = createServer(() => {});
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const hub = bench.openHub({ endpoint }, { idleMs: 50 });
    await expect(hub.listing("me/toy")).rejects.toThrow(/sent nothing for 0\.05 s/);
    silent.closeAllConnections();
    silent.close();
  });

  it("end a redirect loop", async () => {
    const circle = { revisions: {}, movedTo: "me/b" };
    await begin({ repos: { "me/a": circle, "me/b": { revisions: {}, movedTo: "me/a" } } });
    await expect(bench.openHub().listing("me/a")).rejects.toThrow(/redirects in a loop/);
  });

  it("end when the request is aborted", async () => {
    await begin({ repos: TOY });
    const reason = new Error("enough");
    const hub = bench.openHub({ signal: AbortSignal.abort(reason) });
    await expect(hub.listing("me/toy")).rejects.toBe(reason);
  });
});
