import { appendFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Output } from "../../core/system.js";
import { searchTrials } from "./search.js";
import { createEmptyFolder, type WrittenTrial, writeRunFolder } from "./trial-testing.js";

const trial = (exampleId: number, output: Output | null, system = "a"): WrittenTrial => ({
  row: { system, dataset: "d", exampleId, outcome: "pass" },
  output,
});

const asked = (id: number, question: string) => ({ id, dataset: "d", question });

async function find(dir: string, rows: ReturnType<typeof writeRunFolder>, text: string): Promise<string[]> {
  const { matches } = await searchTrials({ dir, rows, text });
  return matches.map(({ system, exampleId }) => `${system}${exampleId}`);
}

describe("searchTrials", () => {
  it("finds trials by example and by output", async () => {
    const dir = createEmptyFolder();
    const rows = writeRunFolder(
      dir,
      [
        trial(1, { response: "It is PARIS." }),
        trial(2, { response: "Berlin", notes: "paris" }),
        trial(2, null, "b"),
        trial(3, { replies: ["In Paris", "?"] }),
      ],
      [
        asked(1, "Capital?"),
        asked(2, "Where is the Île?"),
        { id: 3, dataset: "d", turns: [{ role: "user", content: "Turn" }] },
      ],
    );
    expect(await find(dir, rows, "paris")).toEqual(["a1", "a3"]);
    expect(await find(dir, rows, "the île")).toEqual(["a2", "b2"]);
    expect(await find(dir, rows, "TURN")).toEqual(["a3"]);
    for (const none of ["nowhere", "", "exampleId", "response"]) expect(await find(dir, rows, none)).toEqual([]);
  });

  it("searches texts, not their JSON encoding", async () => {
    const dir = createEmptyFolder();
    const rows = writeRunFolder(dir, [
      trial(1, { response: 'say "yes"\nthen\tgo \u001b[1m' }),
      trial(2, { response: "back\\slash ΟΔΟΣ" }),
      trial(3, { response: "ΟΔΟΣΕΣ \u2028 </script>" }),
    ]);
    expect(await find(dir, rows, '"YES"\nthen\tgo \u001b[')).toEqual(["a1"]);
    expect(await find(dir, rows, "\\nthen")).toEqual([]);
    expect(await find(dir, rows, "back\\slash")).toEqual(["a2"]);
    expect(await find(dir, rows, "οδος")).toEqual(["a2", "a3"]);
    expect(await find(dir, rows, "\u2028 </SCRIPT>")).toEqual(["a3"]);
  });

  it("finds every part of every text", async () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme", minLength: 1 }),
      fc.constantFrom('a"b', "\\n", "İx", "\u0000", "ς"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 6 }), fc.nat(5), async (texts, index) => {
        const dir = createEmptyFolder();
        const rows = writeRunFolder(
          dir,
          texts.map((response, i) => trial(i, { response: `<${response}>` })),
        );
        const wanted = texts[index % texts.length] ?? "";
        expect(await find(dir, rows, wanted)).toContain(`a${index % texts.length}`);
      }),
      { numRuns: 50 },
    );
  });

  it("uses the last output of a trial, and outputs in separate files", async () => {
    const dir = createEmptyFolder();
    const big = `${"x".repeat(3_000_000)} needle`;
    writeRunFolder(dir, [
      trial(1, { response: "needle" }),
      trial(2, { response: big }),
      trial(3, { response: big, n: "thread" }),
    ]);
    const rows = writeRunFolder(dir, [
      trial(1, { response: "other" }),
      trial(2, { response: "NEEDLE" }),
      trial(3, null),
    ]);
    expect(await find(dir, rows, "needle")).toEqual(["a2", "a3"]);
    expect(await find(dir, rows, "thread")).toEqual([]);
  });

  it("returns at most the requested number, and reports that there are more", async () => {
    const dir = createEmptyFolder();
    const rows = writeRunFolder(
      dir,
      Array.from({ length: 30 }, (_, i) => trial(i, { response: "same" })),
    );
    const { matches, isCut } = await searchTrials({ dir, rows, text: "same", limit: 10 });
    expect([matches.length, isCut]).toEqual([10, true]);
    expect(await searchTrials({ dir, rows, text: "same", limit: 30 })).toMatchObject({ isCut: false });
  });

  it("skips a line that cannot be read", async () => {
    const dir = createEmptyFolder();
    const rows = writeRunFolder(dir, [trial(1, { response: "fine" })]);
    appendFileSync(join(dir, "outputs.jsonl"), 'fine, but nonsense\n{"file":"outputs/none.json"}\n{"fine');
    expect(await find(dir, rows, "fine")).toEqual(["a1"]);
  });

  it("yields to the event loop, and stops on abort", async () => {
    const dir = createEmptyFolder();
    const rows = writeRunFolder(
      dir,
      Array.from({ length: 8000 }, (_, i) => trial(i, { response: `e ${"word ".repeat(600)}` })),
    );
    let turns = 0;
    const others = setInterval(() => turns++, 1);
    const { matches } = await searchTrials({ dir, rows, text: "e w" });
    clearInterval(others);
    expect(matches).toHaveLength(8000);
    expect(turns).toBeGreaterThan(5);
    const gone = new AbortController();
    const search = searchTrials({ dir, rows, text: "nowhere", signal: gone.signal });
    setImmediate(() => gone.abort(new Error("gone")));
    await expect(search).rejects.toThrow("gone");
  });
});
