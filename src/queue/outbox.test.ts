import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { makeRow } from "../core/row.js";
import type { Output } from "../core/system.js";
import type { Trial } from "../runner/admit.js";
import { type AttemptSuccess, openCall } from "../runner/call.js";
import { TokenCounter } from "../runner/record.js";
import { type OutgoingBatch, ResultOutbox } from "./outbox.js";
import type { CostSettlement } from "./redis-budget.js";
import { decodeBatch } from "./result-batch.js";

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function finished(index: number, response = "yes") {
  const row = makeRow({ system: "s", exampleId: index, outcome: "pass" });
  return { row, output: { response }, evidence: null, grades: null };
}

const trial = (index: number) => ({ index }) as Trial;

function settlementOf(index: number): CostSettlement {
  return { trial: index, token: `t${index}`, costUsd: 1, judgeCostUsd: 0, isTypical: true };
}

interface Choices {
  sharedDir?: string;
  gate?: () => Promise<void>;
  take?: (index: number) => CostSettlement | null;
  onStopped?: (index: number) => void;
}

function outboxTo(sent: OutgoingBatch[], { sharedDir, gate, take = settlementOf, onStopped = () => {} }: Choices = {}) {
  return new ResultOutbox({
    worker: "w",
    tokens: new TokenCounter({ count: (text) => text.length }, 1),
    take,
    payFor: (index) => ({ ...settlementOf(index), isTypical: false, isGraded: false }),
    send: async (parcel) => {
      sent.push(parcel);
      await gate?.();
    },
    onStopped,
    sharedDir: sharedDir ?? null,
  });
}

describe("ResultOutbox", () => {
  it("sends trials recorded in one turn together, with their cost", async () => {
    const sent: OutgoingBatch[] = [];
    const outbox = outboxTo(sent);
    for (const index of [1, 2, 3]) outbox.record(trial(index), finished(index));
    outbox.reportRefused(4);
    await outbox.waitForDelivery();
    expect(sent).toHaveLength(1);
    expect(sent[0]?.trials).toEqual([1, 2, 3]);
    expect(sent[0]?.settlements.map(({ token }) => token)).toEqual(["t1", "t2", "t3"]);
    expect(decodeBatch(sent[0]?.data ?? Buffer.alloc(0)).news.map(({ kind }) => kind)).toEqual([
      ...["finished", "finished", "finished"],
      "refused",
    ]);
    expect(outbox.delivered).toBe(3);
  });

  it("reports a trial as not run after its system is stopped, and settles it, but reports no interrupted trial", async () => {
    const sent: OutgoingBatch[] = [];
    const order: string[] = [];
    const outbox = outboxTo(sent, { onStopped: (index) => void order.push(`stopped ${index}`) });
    const skipped = (index: number, notes: string[]) => {
      const row = makeRow({ system: "s", exampleId: index, outcome: "skipped", notes });
      return { row, output: null, evidence: null, grades: null };
    };
    outbox.record(trial(1), skipped(1, ["not run: it answered 401"]));
    outbox.record(trial(2), skipped(2, []));
    expect(order).toEqual(["stopped 1"]);
    await outbox.waitForDelivery();
    expect(sent[0]).toMatchObject({ trials: [], settlements: [{ token: "t1" }] });
    expect(decodeBatch(sent[0]?.data ?? Buffer.alloc(0)).news).toEqual([
      { kind: "stopped", index: 1, message: "it answered 401" },
    ]);
  });

  it("keeps updates for the next batch while one is being sent, and resolves each trial with its own batch", async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const sent: OutgoingBatch[] = [];
    const outbox = outboxTo(sent, { gate: () => gate });
    outbox.record(trial(1), finished(1));
    const first = outbox.waitForDelivery();
    while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    outbox.record(trial(2), finished(2));
    outbox.record(trial(3), finished(3));
    const second = outbox.waitForDelivery();
    expect(sent).toHaveLength(1);
    open();
    await first;
    await second;
    expect(sent.map(({ trials }) => trials)).toEqual([[1], [2, 3]]);
  });

  it("writes a large output to the shared folder and sends its name", async () => {
    const sharedDir = join(mkdtempSync(join(tmpdir(), "assay-outbox-")), "run");
    dirs.push(sharedDir);
    const sent: OutgoingBatch[] = [];
    const outbox = outboxTo(sent, { sharedDir });
    outbox.record(trial(1), finished(1, "x".repeat(2 << 20)));
    outbox.record(trial(2), finished(2));
    await outbox.waitForDelivery();
    const [large, small] = decodeBatch(sent[0]?.data ?? Buffer.alloc(0)).news;
    if (large?.kind !== "finished" || small?.kind !== "finished") throw new Error("not finished");
    expect(large.lines.output).toBeNull();
    const path = join(sharedDir, large.lines.outputFile ?? "");
    expect(existsSync(path) && JSON.parse(readFileSync(path, "utf8")).output.response).toHaveLength(2 << 20);
    expect(small.lines.output).toContain('"yes"');
  });

  it("sends a large output that cannot be written to the shared folder, and creates no missing parent folder", async () => {
    const parent = join(tmpdir(), "assay-outbox-is-not-there");
    const sent: OutgoingBatch[] = [];
    const outbox = outboxTo(sent, { sharedDir: join(parent, "run") });
    outbox.record(trial(1), finished(1, "x".repeat(2 << 20)));
    await outbox.waitForDelivery();
    const [large] = decodeBatch(sent[0]?.data ?? Buffer.alloc(0)).news;
    expect(large?.kind === "finished" && large.lines.output?.length).toBeGreaterThan(2 << 20);
    expect(existsSync(parent)).toBe(false);
  });

  it("rejects for waiting callers when a batch cannot be sent, and sends it with the next", async () => {
    const sent: OutgoingBatch[] = [];
    const failures = [new Error("closed")];
    const gate = async () => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
    };
    const settled = new Set([1, 2]);
    const take = (index: number) => (settled.delete(index) ? settlementOf(index) : null);
    const outbox = outboxTo(sent, { gate, take });
    outbox.record(trial(1), finished(1));
    await expect(outbox.waitForDelivery()).rejects.toThrow("closed");
    expect(outbox.delivered).toBe(0);
    outbox.record(trial(2), finished(2));
    await outbox.waitForDelivery();
    expect(sent[1]?.trials).toEqual([1, 2]);
    expect(sent[1]?.settlements.map(({ token }) => token)).toEqual(["t1", "t2"]);
    expect(decodeBatch(sent[1]?.data ?? Buffer.alloc(0)).news.map(({ index }) => index)).toEqual([1, 2]);
    expect(outbox.delivered).toBe(2);
  });

  describe("with ungraded outputs", () => {
    const asked = (index: number) => {
      const example = { id: index };
      return { index, system: { name: "s" }, example, trial: 0 } as unknown as Trial;
    };
    const gave = (output: Output): AttemptSuccess => {
      const call = openCall({
        trial: asked(0),
        seed: 1,
        signal: new AbortController().signal,
        budget: null,
        stop: null,
      });
      return { kind: "returned", output, latency: 1, durationMs: 1000, call };
    };
    const newsIn = (parcel: OutgoingBatch | undefined) => decodeBatch(parcel?.data ?? Buffer.alloc(0)).news;

    it("sends those not graded in the same turn, and settles their systems", async () => {
      const sent: OutgoingBatch[] = [];
      const outbox = outboxTo(sent);
      for (const index of [1, 2]) expect(outbox.saveOutput(asked(index), gave({ response: "yes" }))).toBe(true);
      outbox.record(trial(2), finished(2));
      await outbox.waitForDelivery();
      expect(sent[0]).toMatchObject({ trials: [2], outputs: [{ kind: "output", index: 1 }] });
      expect(sent[0]?.settlements).toMatchObject([
        { token: "t1", isGraded: false },
        { token: "t2", isTypical: true },
      ]);
      expect(newsIn(sent[0]).map(({ kind, index }) => [kind, index])).toEqual([
        ["finished", 2],
        ["output", 1],
      ]);
      outbox.record(trial(1), finished(1));
      await outbox.waitForDelivery();
      expect(sent[1]).toMatchObject({ trials: [1], outputs: [], settlements: [{ token: "t1", isTypical: true }] });
    });

    it("sends nothing when all are graded in the same turn, and none that only this worker can grade", async () => {
      const sent: OutgoingBatch[] = [];
      const outbox = outboxTo(sent);
      const workspace = { incomplete: "too large" } as unknown as NonNullable<Output["workspace"]>;
      expect(outbox.saveOutput(asked(1), gave({ workspace }))).toBe(false);
      const cached = gave({ response: "yes" });
      cached.call.isFromCache = true;
      expect(outbox.saveOutput(asked(1), cached)).toBe(false);
      // There is no shared folder for it.
      outbox.saveOutput(asked(1), gave({ response: "x".repeat(2 << 20) }));
      await outbox.waitForDelivery();
      expect(sent).toEqual([]);
    });

    it("sends one with the next batch after a failure, unless it is graded by then", async () => {
      const sent: OutgoingBatch[] = [];
      const failures = [new Error("closed")];
      const gate = async () => {
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
      };
      const outbox = outboxTo(sent, { gate });
      for (const index of [1, 2]) outbox.saveOutput(asked(index), gave({ response: "yes" }));
      await expect(outbox.waitForDelivery()).rejects.toThrow("closed");
      outbox.record(trial(2), finished(2));
      await outbox.waitForDelivery();
      expect(sent[1]).toMatchObject({ trials: [2], outputs: [{ index: 1 }] });
      expect(sent[1]?.settlements.map(({ token, isGraded }) => [token, isGraded])).toEqual([
        ["t1", false],
        ["t2", false],
        ["t2", undefined],
      ]);
    });
  });
});
