import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { EvalRow } from "../src/core/index.js";
import { readProcess } from "../src/exec/process/process-table.js";
import { runAssay, startAssay } from "../src/testing/run-assay.js";
import { isCommandMissing } from "../src/testing/system-command.js";
import { TempProject } from "../src/testing/temp-project.js";

const EXAMPLES = fileURLToPath(new URL("../examples", import.meta.url));
const python = (name: string) => `python3 ${join(EXAMPLES, "python", name)}`;

const QUESTIONS = ["Paris", "Rome", "Oslo"].map((city, i) => ({
  id: `q${i}`,
  question: `Say ${city}`,
  answer: city,
  note: "shown",
  gold: `hidden ${city}`,
}));

function openProject(files: Record<string, string> = {}): TempProject {
  return new TempProject({ "questions.jsonl": QUESTIONS, ...files });
}

async function measure(project: TempProject, ...flags: string[]) {
  const { stdout, stderr, code } = await runAssay(
    project.dir,
    ...["run", "--dataset", "questions.jsonl", "--output", "json", "--score-field", "contains", ...flags],
  );
  const report = stdout === "" ? null : JSON.parse(stdout);
  return { code, stderr, summary: report?.summary ?? {}, rows: (report?.rows ?? []) as EvalRow[] };
}

const ECHO = `
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    print("asked", request["id"], file=sys.stderr)
    print(json.dumps({"id": request["id"], "response": request["question"], "cost_usd": 0.5,
                      "usage": {"input": 7, "output": 3, "cache_read": 2}, "fields": sorted(request)}))
`;

describe.skipIf(isCommandMissing("python3"))("the examples in Python", () => {
  it("compress, scored by an evaluator in Python", async () => {
    const { stdout, code, stderr } = await runAssay(
      openProject().dir,
      ...["run", "--dataset", "needle", "-n", "6", "--output", "json"],
      ...["--system-command", python("compress.py"), "--evaluator-command", python("score.py")],
    );
    expect(code, stderr).toBe(0);
    const { rows, summary } = JSON.parse(stdout) as { rows: EvalRow[]; summary: Record<string, { pass_rate: number }> };
    expect(summary.compress?.pass_rate).toBe(1);
    expect(rows).toHaveLength(6);
    for (const row of rows) {
      expect(row.scores).toEqual({ kept: 1 });
      expect(row.measures?.characters).toBeGreaterThan(0);
      expect(row.outputTokens).toBeLessThan((row.inputTokens ?? 0) / 2);
    }
  });

  it("remember a conversation", async () => {
    const { stdout, code, stderr } = await runAssay(
      openProject().dir,
      ...["memory", "--dataset", `locomo=${join(EXAMPLES, "talk.json")}`, "--output", "json"],
      ...["--system-command", python("memory.py")],
    );
    expect(code, stderr).toBe(0);
    const { rows } = JSON.parse(stdout) as { rows: EvalRow[] };
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ outcome, metadata }) => outcome !== "error" && Number(metadata?.contextTokens) > 0)).toBe(
      true,
    );
  });

  it("answer once and end", async () => {
    const { rows, stderr } = await measure(openProject(), "--system-command", python("once.py"));
    expect(
      rows.map(({ outcome }) => outcome),
      stderr,
    ).toEqual(["pass", "pass", "pass"]);
  });

  it("make outputs of exported examples, which --replay measures", async () => {
    const project = openProject({
      "produce.py": `
import json, sys
for line in open("data.jsonl", encoding="utf-8"):
    example = json.loads(line)
    print(json.dumps({"id": example["id"], "response": example["question"]}))
`,
    });
    const exported = await runAssay(project.dir, "datasets", "export", "questions.jsonl", "-n", "2", "--seed", "3");
    expect(exported.code).toBe(0);
    expect(exported.stderr).toContain("assay --replay outputs.jsonl --dataset questions.jsonl");
    project.write("data.jsonl", exported.stdout);
    const lines = exported.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(2);
    expect(QUESTIONS).toEqual(
      expect.arrayContaining(lines.map((line) => expect.objectContaining({ id: line.id, answer: line.answer }))),
    );
    const { execFileSync } = await import("node:child_process");
    project.write("outputs.jsonl", execFileSync("python3", ["produce.py"], { cwd: project.dir, encoding: "utf8" }));
    const { rows, stderr } = await measure(project, "--replay", "outputs.jsonl", "-n", "2", "--seed", "3");
    expect(rows.map(({ exampleId }) => exampleId).sort()).toEqual(lines.map(({ id }) => id).sort());
    expect(rows.map(({ outcome }) => outcome)).toEqual(["pass", "pass"]);
    expect(stderr).not.toContain("no recorded output");
  });

  it("leave out answers with --no-answers", async () => {
    const { stdout } = await runAssay(openProject().dir, "datasets", "export", "questions.jsonl", "--no-answers");
    expect(Object.keys(JSON.parse(stdout.split("\n")[0] ?? ""))).toEqual(["id", "question", "note", "dataset"]);
  });
});

describe.skipIf(isCommandMissing("python3"))("a program", () => {
  it("gets the example without answers; its usage, cost and stderr are on the row", async () => {
    const project = openProject({ "echo.py": ECHO });
    const { rows, code, stderr } = await measure(project, "--system-command", "python3 echo.py", "--max-workers", "1");
    expect(code, stderr).toBe(0);
    expect(rows.map(({ system }) => system)).toEqual(["echo", "echo", "echo"]);
    for (const { exampleId, costUsd, costSource, usage, metadata } of rows) {
      expect({ costUsd, costSource, usage }).toEqual({
        costUsd: 0.5,
        costSource: "provider",
        usage: { input: 7, output: 3, cacheRead: 2 },
      });
      expect(metadata?.stderr).toBe(`asked ${exampleId}\n`);
      expect(metadata?.fields).toEqual(["dataset", "id", "note", "question", "seed", "trial"]);
    }
  });

  it("is stopped by the budget of the run", async () => {
    const project = openProject({ "echo.py": ECHO });
    const { rows } = await measure(
      project,
      ...["--system-command", "python3 echo.py", "--max-workers", "1", "--max-cost", "0.6", "--trials", "3"],
    );
    expect(rows.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)).toBeLessThanOrEqual(1);
    expect(rows.some(({ outcome }) => outcome === "skipped")).toBe(true);
  });

  it("is named by its script, its command or --name, and cached by its content", async () => {
    const project = openProject({ "echo.py": ECHO });
    const command = ["--system-command", "python3 echo.py"];
    const two = await measure(project, ...command, "--system-command", "python3 echo.py --fast");
    expect(Object.keys(two.summary)).toEqual(["python3 echo.py", "python3 echo.py --fast"]);
    const named = await measure(project, ...command, "--name", "mine", "--cache-dir");
    expect(named.rows.map(({ system, cached }) => [system, cached])).toEqual(Array(3).fill(["mine", false]));
    const again = await measure(project, ...command, "--name", "mine", "--cache-dir");
    expect(again.rows.every(({ cached }) => cached)).toBe(true);
    project.write("echo.py", `${ECHO}# changed\n`);
    const changed = await measure(project, ...command, "--name", "mine", "--cache-dir");
    expect(changed.rows.some(({ cached }) => cached)).toBe(false);
  });

  it("can be in a config of another folder, which has to be trusted", async () => {
    const project = openProject({
      "elsewhere/echo.py": ECHO,
      "elsewhere/run.yaml":
        "systems: [{ name: mine, command: python3 echo.py, maxParallel: 1, env: { LEVEL: '3' }, timeout: 60 }]\n",
      "here/questions.jsonl": readFileSync(join(openProject().dir, "questions.jsonl"), "utf8"),
    });
    const args = ["run", "--config", "../elsewhere/run.yaml", "--dataset", "questions.jsonl", "--output", "json"];
    const refused = await runAssay(project.path("here"), ...args);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("it names python3 echo.py, which would be run");
    const { code, stdout, stderr } = await runAssay(project.path("here"), ...args, "--trust");
    expect(code, stderr).toBe(0);
    expect(Object.keys(JSON.parse(stdout).summary)).toEqual(["mine"]);
  });

  it.each([
    ["systems: [{ command: 3 }]", "systems.0.command: Invalid input: expected string, received number"],
    ["systems: [{ name: a }]", "systems.0: must be a name, a path, { name, command,"],
    ["systems: [{ name: a, comand: python3 x.py }]", 'unknown key "comand". Did you mean "command"? Known: command,'],
    [
      "systems: [{ command: python3 x.py, maxParalel: 2 }]",
      'unknown key "maxParalel". Did you mean "maxParallel"? Known: command,',
    ],
    [
      "systems: [{ url: 'http://127.0.0.1/', header: {} }]",
      'unknown key "header". Did you mean "headers"? Known: command,',
    ],
    ["evaluators: [{ command: python3 x.py, url: x }]", 'unknown key "url". Known: command,'],
  ])("with a wrong key in the config is refused with its place: %s", async (yaml, text) => {
    const project = openProject({ "assay.config.yaml": `${yaml}\n` });
    const { code, stderr } = await runAssay(
      project.dir,
      "run",
      "--dataset",
      "questions.jsonl",
      "--system",
      "passthrough",
    );
    expect(code).toBe(2);
    expect(stderr).toContain(text);
    expect(stderr).toContain("assay.config.yaml:1:");
  });

  const BAD = `
import json, os, sys, time
mode = sys.argv[1]
for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"], "response": request["question"]}
    if request["id"] != "q1": print(json.dumps(answer)); continue
    if mode == "text": print("loading the model")
    if mode == "twice": sys.stdout.write(2 * (json.dumps(answer) + chr(10)))
    if mode == "other": print(json.dumps({**answer, "id": "q9"}))
    if mode == "silent": time.sleep(600)
    if mode == "dies": sys.stdout.write('{"id": "q1", "resp'); sys.stdout.flush(); os.abort()
    if mode == "raises": raise ValueError("no such city")
    if mode == "bytes": sys.stdout.buffer.write(bytes([123, 255, 125, 10]))
    if mode == "empty": print(json.dumps({"id": "q1", "answer": "Rome"}))
    if mode == "null": print(json.dumps({"id": "q1", "response": None}))
    if mode == "error": print(json.dumps({"id": "q1", "error": "no credit left", "cost_usd": 0.25}))
    if mode == "flood":
        for _ in range(300): sys.stderr.write("x" * 100000)
        print(json.dumps(answer))
`;

  it.each([
    ["text", "PROGRAM_NOT_JSON", 'not a JSON object: "loading the model"'],
    ["twice", "PROGRAM_ANSWERED_TWICE", 'a second answer to the request "q1"'],
    ["other", "PROGRAM_UNKNOWN_ID", '"q9", which was not asked'],
    ["silent", "PROGRAM_TIMEOUT", "did not answer within 2 s"],
    ["dies", "PROGRAM_NOT_JSON", "not a JSON object"],
    ["raises", "PROGRAM_EXITED", "ValueError: no such city"],
    ["bytes", "PROGRAM_NOT_UTF8", "not valid UTF-8"],
    ["empty", "PROGRAM_WRONG_ANSWER", 'did you mean "response" instead of "answer"?'],
    ["null", "PROGRAM_WRONG_ANSWER", 'neither a "response" nor a "context"'],
    ["error", "PROGRAM_REPORTED_ERROR", "reported an error: no credit left"],
  ])("that fails (%s) is an error of its trial and not a zero, and the run goes on", async (mode, problem, text) => {
    const project = openProject({ "bad.py": BAD });
    const flags = ["--system-command", `python3 bad.py ${mode}`, "--timeout", mode === "silent" ? "2" : "120"];
    const { rows, code } = await measure(project, ...flags, "--max-workers", "1");
    const byId = new Map(rows.map((row) => [row.exampleId, row]));
    expect([byId.get("q0")?.outcome, byId.get("q2")?.outcome]).toEqual(["pass", "pass"]);
    const bad = byId.get("q1");
    expect(bad).toMatchObject({ outcome: "error", scores: {}, passed: null });
    expect(bad?.metadata?.problem).toBe(problem);
    expect(bad?.attempts.at(-1)?.message).toContain(text);
    expect(bad?.costUsd).toBe(mode === "error" ? 0.25 : null);
    expect(code).toBe(3);
  });

  it("may flood stderr: the beginning and the end are on the row", async () => {
    const { rows, code } = await measure(openProject({ "bad.py": BAD }), "--system-command", "python3 bad.py flood");
    expect(code).toBe(0);
    const stderr = String(rows.find(({ exampleId }) => exampleId === "q1")?.metadata?.stderr);
    expect(stderr.length).toBeLessThan(9000);
    expect(stderr).toContain("bytes left out");
  });

  it.each([
    ["assay-no-such-program x.py", "PROGRAM_NOT_FOUND", 'Program "assay-no-such-program" not found'],
    ["sh -c 'assay-no-such-program'", "PROGRAM_NOT_FOUND", "exited with code 127"],
    ["python3 no-such-file.py", "PROGRAM_EXITED", "no-such-file.py"],
  ])("that does not start says why: %s", async (command, problem, text) => {
    const { rows, code } = await measure(openProject(), "--system-command", command);
    expect(code).toBe(3);
    expect(rows.every(({ outcome }) => outcome === "error" || outcome === "skipped")).toBe(true);
    const failed = rows.filter(({ outcome }) => outcome === "error");
    expect(failed).not.toEqual([]);
    for (const { metadata, attempts } of failed) {
      expect(metadata?.problem).toBe(problem);
      expect(attempts.at(-1)?.message).toContain(text);
    }
  });

  it.each([
    ["KEY=1 python3 x.py", "begins with the variable KEY"],
    ["", "The command is empty"],
    ["python3 'x.py", "unclosed quote"],
    ["python3 x.py | tee log", 'has "|", but it is not run by a shell'],
  ])("that is not a command is refused before the run: %s", async (command, text) => {
    const { code, stderr } = await measure(openProject(), "--system-command", command);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
  });

  it("ends with everything it started when the run is interrupted or killed", async () => {
    for (const signal of ["SIGINT", "SIGKILL"] as const) {
      const project = openProject({
        "hang.py": `
import subprocess, sys
child = subprocess.Popen(["sleep", "600"])
for line in sys.stdin:
    open("pids.part", "w").write(f"{__import__('os').getpid()} {child.pid}")
    __import__("os").rename("pids.part", "pids.txt")
`,
      });
      const args = ["run", "--dataset", "questions.jsonl", "--system-command", "python3 hang.py"];
      const command = startAssay(project.dir, args);
      await expect.poll(() => existsSync(project.path("pids.txt"))).toBe(true);
      const pids = project.read("pids.txt").split(" ").map(Number);
      expect(pids.map((pid) => readProcess(pid) !== null)).toEqual([true, true]);
      command.child.kill(signal);
      await command.finished;
      await expect.poll(() => pids.filter((pid) => readProcess(pid) !== null)).toEqual([]);
    }
  });
});

describe("an address", () => {
  type Answer = (body: Record<string, unknown>, response: ServerResponse, count: number) => void;

  async function serve(answer: Answer): Promise<string> {
    let count = 0;
    const server: Server = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk) => {
        text += chunk;
      });
      count += 1;
      request.on("end", () => answer(JSON.parse(text), response, count));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/ask`;
  }

  const reply = (response: ServerResponse, body: unknown) => response.end(JSON.stringify(body));

  it("is sent the same object, and retried after 429 and 503", async () => {
    const seen: unknown[] = [];
    const url = await serve((body, response, count) => {
      seen.push(Object.keys(body).sort());
      if (count === 1) response.writeHead(429, { "retry-after": "0" }).end();
      else if (count === 2) response.writeHead(503).end();
      else reply(response, { id: body.id, response: body.question });
    });
    const { rows, code, stderr } = await measure(openProject(), "--system-url", url, "--max-workers", "1");
    expect(code, stderr).toBe(0);
    expect(rows.map(({ outcome, system }) => [outcome, system])).toEqual(Array(3).fill(["pass", new URL(url).host]));
    expect(seen[0]).toEqual(["dataset", "id", "note", "question", "seed", "trial"]);
    expect(rows.flatMap(({ attempts }) => attempts.map(({ errorCategory }) => errorCategory))).toEqual([
      "rate_limit",
      "api_error",
    ]);
  });

  const BAD_ANSWERS: [string, Answer, string, string][] = [
    [
      "redirects",
      (_, r) => r.writeHead(302, { location: "https://example.com/login" }).end(),
      "URL_REDIRECT",
      "redirects to https://example.com/login",
    ],
    [
      "answers HTML",
      (_, r) => r.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>Hi"),
      "URL_HTML",
      "answered with an HTML page",
    ],
    ["answers text", (_, r) => r.end("OK"), "URL_NOT_JSON", 'answered with "OK", which is not a JSON object'],
    [
      "answers another request",
      (_, r) => reply(r, { id: "q0", response: "Rome" }),
      "URL_UNKNOWN_ID",
      'answered the request "q0", but was asked "q1"',
    ],
    ["never answers", () => {}, "URL_TIMEOUT", "did not answer within 1 s"],
    [
      "answers 400",
      (_, r) => r.writeHead(400).end("bad question"),
      "URL_STATUS",
      'answered with status 400: "bad question"',
    ],
    [
      "answers another form",
      (b, r) => reply(r, { id: b.id, text: "x" }),
      "URL_WRONG_ANSWER",
      'did you mean "response" instead of "text"?',
    ],
    [
      "reports an error",
      (b, r) => reply(r, { id: b.id, error: { message: "busy" } }),
      "URL_REPORTED_ERROR",
      "reported an error: busy",
    ],
    ["hangs up", (_, r) => r.destroy(), "URL_UNREACHABLE", "closed the connection"],
  ];

  it.each(BAD_ANSWERS)(
    "that %s is an error with the address, and the run goes on",
    async (_, answer, problem, text) => {
      const url = await serve((body, response, count) =>
        body.id === "q1" ? answer(body, response, count) : reply(response, { id: body.id, response: body.question }),
      );
      const { rows } = await measure(openProject(), "--system-url", url, "--max-retries", "0", "--timeout", "1");
      const byId = new Map(rows.map((row) => [row.exampleId, row]));
      expect([byId.get("q0")?.outcome, byId.get("q2")?.outcome]).toEqual(["pass", "pass"]);
      expect(byId.get("q1")).toMatchObject({ outcome: "error", metadata: { problem } });
      const message = byId.get("q1")?.attempts.at(-1)?.message;
      expect(message).toContain(text);
      expect(message).toContain(new URL(url).host);
    },
  );

  it("that nobody listens on, or that is no address, says so", async () => {
    const { rows } = await measure(openProject(), "--system-url", "http://127.0.0.1:9/x", "--max-retries", "0");
    expect(JSON.stringify(rows)).toContain("Nothing listens on 127.0.0.1:9");
    const wrong = await measure(openProject(), "--system-url", "127.0.0.1/x");
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('"127.0.0.1/x" is not an http or https URL');
  });
});

describe("a file in another language", () => {
  it.each([
    [["--system", "./x.py"], "--system-command 'python3 ./x.py'"],
    [["--system", "x.rb"], "--system-command 'ruby x.rb'"],
    [["--system", "passthrough", "--evaluator", "./x.py"], "--evaluator-command 'python3 ./x.py'"],
  ])("names the flag: %s", async (flags, text) => {
    const project = openProject({ "x.py": "print(1)\n", "x.rb": "puts 1\n" });
    const { code, stderr } = await measure(project, ...flags);
    expect(code).toBe(2);
    expect(stderr).toContain("is not a JavaScript or TypeScript file. Accepted: .ts,");
    expect(stderr).toContain(text);
  });
});
