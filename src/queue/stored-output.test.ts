import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { UngradedOutput } from "../runner/call.js";
import { QueueSigner } from "./signer.js";
import { decodeStoredOutput, encodeStoredOutput, openSealedOutput, sealOutput } from "./stored-output.js";

const TRIAL = { system: "s", dataset: "d", exampleId: "e1", trial: 2 };
const PLACE = { key: "run-00000000", signer: new QueueSigner("a secret of the run"), folder: null };

function outputOf(response: string): UngradedOutput {
  return { ...TRIAL, output: { response }, call: { latency: 1, durationMs: 1000, notes: ["so"] } };
}

function sharedFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), "assay-stored-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return join(dir, "run");
}

describe("an ungraded output in Redis", () => {
  const sealed = (place = PLACE) => sealOutput(7, encodeStoredOutput(outputOf("yes"), null) ?? "", place);

  it("decodes to what was encoded", async () => {
    expect(openSealedOutput(await sealed(), { index: 7, trial: TRIAL }, PLACE)).toMatchObject(outputOf("yes"));
  });

  it.each([
    ["a worker of another secret", { ...PLACE, signer: new QueueSigner("another secret, of others") }, 7, TRIAL],
    ["another run", { ...PLACE, key: "run-11111111" }, 7, TRIAL],
    ["another place in the plan", PLACE, 8, TRIAL],
    ["another trial", PLACE, 7, { ...TRIAL, trial: 3 }],
  ])("is rejected when it is of %s", async (_, place, index, trial) => {
    expect(openSealedOutput(await sealed(place), { index, trial }, PLACE)).toBeNull();
  });

  it("is rejected when it was changed or is malformed", async () => {
    const changed = await sealed();
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    for (const other of [changed, Buffer.alloc(0), Buffer.from("text")])
      expect(openSealedOutput(other, { index: 7, trial: TRIAL }, PLACE)).toBeNull();
  });

  it("is in the shared folder when it is large, and not stored when there is none", () => {
    const large = outputOf("x".repeat(2 << 20));
    const folder = sharedFolder();
    const line = encodeStoredOutput(large, folder) ?? "";
    expect(line.length).toBeLessThan(1000);
    expect(decodeStoredOutput(line, folder)).toMatchObject({ ungraded: large, file: readdirSync(folder)[0] });
    expect(encodeStoredOutput(large, null)).toBeNull();
    expect(encodeStoredOutput(large, join(folder, "not", "mounted"))).toBeNull();
  });

  it("is not read from a file that no worker has written", () => {
    const folder = sharedFolder();
    mkdirSync(folder);
    encodeStoredOutput(outputOf("x".repeat(2 << 20)), folder);
    const name = `${"0f".repeat(16)}.json`;
    symlinkSync(join(folder, readdirSync(folder)[0] ?? ""), join(folder, name));
    const naming = (file: unknown) => JSON.stringify({ ...TRIAL, kind: "output", call: {}, file });
    for (const file of [name, "../../etc/passwd", `${"1f".repeat(16)}.json`, 7])
      expect(decodeStoredOutput(naming(file), folder)).toBeNull();
  });
});
