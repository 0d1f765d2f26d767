import { type AgentTask, createTestGrader, createWriteCommand } from "./task.js";

const LOG = `2024-05-02T08:00:01Z GET /api/users 200 12ms
2024-05-02T08:00:02Z GET /api/users 200 9ms
2024-05-02T08:00:04Z POST /api/orders 201 48ms
-- worker restarted --
2024-05-02T08:00:09Z GET /api/orders 500 131ms
2024-05-02T08:00:11Z GET /health 200 1ms
2024-05-02T08:00:12Z POST /api/orders 503 2040ms

2024-05-02T08:00:15Z DELETE /api/users 404 7ms
2024-05-02T08:00:15Z GET /api/or
2024-05-02T08:00:21Z GET /api/orders 200 77ms
`;

const CHECK = `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

const read = () => JSON.parse(readFileSync("report.json", "utf8"));

test("requests, errors and lines left out", () => {
  const { requests, serverErrors, skipped } = read();
  assert.deepEqual({ requests, serverErrors, skipped }, { requests: 8, serverErrors: 2, skipped: 2 });
});

test("requests by path", () => {
  assert.deepEqual(read().byPath, { "/api/users": 3, "/api/orders": 4, "/health": 1 });
});

test("the slowest request", () => {
  assert.deepEqual(read().slowest, { method: "POST", path: "/api/orders", ms: 2040 });
});
`;

const FIRST_ATTEMPT = String.raw`import { readFileSync, writeFileSync } from "node:fs";

const LINE = /^\S+ ([A-Z]+) (\S+) (\d{3}) (\d+)ms$/;
const report = { requests: 0, serverErrors: 0, skipped: 0, byPath: {}, slowest: null };

for (const line of readFileSync("server.log", "utf8").split("\n")) {
  const [, method, path, status, ms] = LINE.exec(line) ?? [];
  if (method === undefined) {
    report.skipped += 1;
    continue;
  }
  report.requests += 1;
  if (Number(status) >= 500) report.serverErrors += 1;
  report.byPath[path] = (report.byPath[path] ?? 0) + 1;
  if (report.slowest === null || ms > report.slowest.ms) report.slowest = { method, path, ms };
}

writeFileSync("report.json", JSON.stringify(report, null, 2));
`;

const SOLUTION = FIRST_ATTEMPT.replace(
  '.split("\\n")) {\n',
  '.split("\\n")) {\n  if (line.trim() === "") continue;\n',
).replace(
  "ms > report.slowest.ms) report.slowest = { method, path, ms }",
  "Number(ms) > report.slowest.ms) report.slowest = { method, path, ms: Number(ms) }",
);

/** Summarize a log file. */
export const logReport: AgentTask = {
  id: "log-report",
  kind: "data",
  difficulty: "medium",
  question:
    'Sum up server.log in a file report.json with these keys: requests (number of complete lines), serverErrors (those with a status of 500 or above), skipped (lines that are not empty and not a complete request), byPath (number of requests by path) and slowest (of the slowest request, an object with method, path and ms, the latter a number). A complete line looks like "2024-05-02T08:00:01Z GET /api/users 200 12ms".',
  files: [{ dest: "server.log", content: LOG }],
  graders: [createTestGrader("report.test.mjs", CHECK)],
  walkthrough: [
    { command: "wc -l server.log && cat server.log" },
    createWriteCommand("report.mjs", FIRST_ATTEMPT),
    { command: "node report.mjs && cat report.json" },
    createWriteCommand("report.mjs", SOLUTION),
    { command: "node report.mjs && cat report.json" },
    { text: "report.json is written: 8 requests, 2 of them server errors, 2 lines left out." },
  ],
};
