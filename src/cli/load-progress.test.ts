import { describe, expect, it } from "vitest";
import { describeDownload } from "./progress.js";

const file = "openai/gsm8k main/test.parquet";

describe("describeDownload", () => {
  it.each([
    [{ received: 0, expected: 4_000_000, waitingFor: null }, `${"░".repeat(20)} 0 B of 4.0 MB · ${file}`],
    [
      { received: 1_000_000, expected: 4_000_000, waitingFor: null },
      `█████${"░".repeat(15)} 1.0 MB of 4.0 MB · ${file}`,
    ],
    [{ received: 9_000_000, expected: 4_000_000, waitingFor: null }, `${"█".repeat(20)} 9.0 MB of 4.0 MB · ${file}`],
    [{ received: 1234, expected: null, waitingFor: null }, `${file}: 1.2 kB`],
    [{ received: 0, expected: null, waitingFor: "process 17" }, `${file}: waiting for process 17`],
  ])("shows %j", (progress, text) => {
    expect(describeDownload({ file, ...progress })).toBe(text);
  });
});
