import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { NO_TOKEN, parseTokenTable, readTokenTable, TokenFinder, TokenTableError } from "./table.js";

const tableFile = new URL("../../../data/tokens/cl100k_base.bin", import.meta.url);

describe.each(["cl100k_base", "o200k_base"])("the table of %s", (name) => {
  const finder = new TokenFinder(readTokenTable(name));

  it("finds every token, in rank order", () => {
    const source = createRequire(import.meta.url).resolve(`gpt-tokenizer/data/${name}.tiktoken`);
    let previous = 0;
    for (const line of readFileSync(source, "latin1").trimEnd().split("\n")) {
      const bytes = Buffer.from(line.split(" ")[0] ?? "", "base64");
      const found = finder.find(bytes, 0, bytes.length);
      if (found <= previous || found === NO_TOKEN) expect.unreachable(`${line}: ${found} after ${previous}`);
      previous = found;
    }
    expect(previous).toBeGreaterThan(0);
  });

  it("finds nothing else", () => {
    for (const text of ["", "hellohello", "zqxj", "a".repeat(129), "\u{10ffff}"]) {
      const bytes = Buffer.from(text);
      expect(finder.find(bytes, 0, bytes.length)).toBe(NO_TOKEN);
    }
    const pair = Buffer.from("qz\xff", "latin1");
    expect(finder.find(pair, 1, 3)).toBe(NO_TOKEN);
  });
});

describe("an unusable table", () => {
  const good = readFileSync(tableFile);
  const otherFormat = Buffer.from(good);
  otherFormat.writeInt32LE(99, 4);

  it.each([
    ["empty", good.subarray(0, 0)],
    ["cut off", good.subarray(0, good.length - 1)],
    ["without its header", good.subarray(128)],
    ["of another format", otherFormat],
  ])("is rejected if %s", (_, bytes) => {
    expect(() => parseTokenTable(bytes)).toThrow(TokenTableError);
  });

  it("is rejected with a remedy if missing", () => {
    expect(() => readTokenTable("p50k_base")).toThrow(/p50k_base\.bin.*build-token-tables/);
  });
});
