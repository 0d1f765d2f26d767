import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

const PAGE = fileURLToPath(new URL("../../dist/web/", import.meta.url));
const MAX_BYTES = 160_000;

it("the page of the dashboard has at most 160 kB, gzipped", () => {
  const files = ["index.html", "app.js", "app.css"].map((file) => gzipSync(readFileSync(`${PAGE}${file}`)).length);
  const size = files.reduce((sum, bytes) => sum + bytes, 0);
  expect(size).toBeGreaterThan(MAX_BYTES / 10);
  expect(size).toBeLessThanOrEqual(MAX_BYTES);
});
