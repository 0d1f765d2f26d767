import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readProcess } from "../process/process-table.js";
import { ProgramError } from "./program-error.js";
import { type CallOptions, ProgramPool, type ProgramPoolOptions } from "./program-pool.js";

let folder = "";
const pools: ProgramPool[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-lines-"));
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  rmSync(folder, { recursive: true, force: true });
});

const READ_LINES = `
const lines = require("node:readline").createInterface({ input: process.stdin });
const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\\n");
const note = (text) => require("node:fs").appendFileSync("log.txt", text + "\\n");
note("start");
`;

/** A pool of a Node program that sees `say`, `note` and `lines`. */
function openPool(source: string, options: Partial<ProgramPoolOptions> = {}): ProgramPool {
  const file = join(folder, "program.cjs");
  writeFileSync(file, READ_LINES + source);
  const pool = new ProgramPool({ words: [process.execPath, file], label: "program", cwd: folder, ...options });
  pools.push(pool);
  return pool;
}

const never = new AbortController().signal;

function ask(pool: ProgramPool, id: string | number, options: Partial<CallOptions> = {}) {
  return pool.call({ id, question: `question ${id}` }, { signal: never, ...options });
}

async function findProblem(call: Promise<unknown>): Promise<{ code: string; message: string; stderr: string }> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ProgramError);
  const { code, message, stderr } = error as ProgramError;
  return { code, message, stderr };
}

function countStarts(): number {
  return readFileSync(join(folder, "log.txt"), "utf8")
    .split("\n")
    .filter((line) => line === "start").length;
}

const isAlive = (pid: number) => readProcess(pid) !== null;

const ECHO = `lines.on("line", (line) => { const { id, question } = JSON.parse(line); say({ id, response: question }); });`;

describe("a program that is kept running", () => {
  it("answers one request after the other in one process", async () => {
    const pool = openPool(ECHO, { maxParallel: 1 });
    const answers = await Promise.all(["a", "b", 3].map((id) => ask(pool, id)));
    expect(answers.map(({ fields }) => fields.response)).toEqual(["question a", "question b", "question 3"]);
    expect(countStarts()).toBe(1);
  });

  it("gets one request at a time, and as many as it announces", async () => {
    const source = (first: string) => `${first}
      let open = 0, most = 0;
      lines.on("line", (line) => {
        most = Math.max(most, ++open);
        const { id } = JSON.parse(line);
        setTimeout(() => { open--; say({ id, most }); }, 20);
      });`;
    const measureMost = async (first: string) => {
      const pool = openPool(source(first), { maxParallel: 1 });
      const answers = await Promise.all(Array.from({ length: 12 }, (_, id) => ask(pool, id)));
      return Math.max(...answers.map(({ fields }) => Number(fields.most)));
    };
    expect(await measureMost("")).toBe(1);
    expect(await measureMost("say({ concurrency: 5 });")).toBe(5);
  });

  it("is started once per free place, up to the limit", async () => {
    const pool = openPool(
      `lines.on("line", (line) => { const { id } = JSON.parse(line); setTimeout(() => say({ id, pid: process.pid }), 50); });`,
      { maxParallel: 3 },
    );
    const answers = await Promise.all(Array.from({ length: 30 }, (_, id) => ask(pool, id)));
    expect(new Set(answers.map(({ fields }) => fields.pid)).size).toBe(3);
    expect(countStarts()).toBe(3);
  });

  it("matches answers by id, in any order", async () => {
    const pool = openPool(
      `say({ concurrency: 3 });
       const held = [];
       lines.on("line", (line) => {
         held.push(JSON.parse(line).id);
         if (held.length === 3) for (const id of held.reverse()) say({ id, response: "for " + id });
       });`,
      { maxParallel: 1 },
    );
    const answers = await Promise.all(["a", "b", "c"].map((id) => ask(pool, id)));
    expect(answers.map(({ fields }) => fields.response)).toEqual(["for a", "for b", "for c"]);
  });

  it("never has one id twice in a process at a time", async () => {
    const pool = openPool(
      `say({ concurrency: 8 });
       const open = new Set();
       lines.on("line", (line) => {
         const { id } = JSON.parse(line);
         const isTwice = open.has(id);
         open.add(id);
         setTimeout(() => { open.delete(id); say({ id, isTwice }); }, 20);
       });`,
      { maxParallel: 1 },
    );
    const answers = await Promise.all(["a", "a", "a", "b"].map((id) => ask(pool, id)));
    expect(answers.map(({ fields }) => fields.isTwice)).toEqual([false, false, false, false]);
  });

  it("is replaced after a crash; only the request in progress fails", async () => {
    const pool = openPool(
      `lines.on("line", (line) => {
         const { id } = JSON.parse(line);
         if (id === "bad") { console.error("Traceback: boom"); process.exit(3); }
         say({ id, response: "fine" });
       });`,
      { maxParallel: 1 },
    );
    expect((await ask(pool, 1)).fields.response).toBe("fine");
    const problem = await findProblem(ask(pool, "bad"));
    expect(problem.code).toBe("PROGRAM_EXITED");
    expect(problem.message).toBe('program exited with code 3 before it answered. stderr ends with: "Traceback: boom"');
    expect(problem.stderr).toBe("Traceback: boom\n");
    expect((await ask(pool, 2)).fields.response).toBe("fine");
    expect(countStarts()).toBe(2);
  });
});

describe("a program that answers one request and ends", () => {
  it("may read one line", async () => {
    const pool = openPool(
      `lines.on("line", (line) => { const { id } = JSON.parse(line); say({ id, response: "once" }); lines.close(); process.stdin.destroy(); });`,
      { maxParallel: 2 },
    );
    const answers = await Promise.all(Array.from({ length: 6 }, (_, id) => ask(pool, id)));
    expect(answers.map(({ fields }) => fields.response)).toEqual(Array(6).fill("once"));
    for (let id = 10; id < 14; id += 1) expect((await ask(pool, id)).fields.response).toBe("once");
  });

  const READ_ALL = `
    let text = "";
    process.stdin.on("data", (chunk) => { text += chunk; });
    process.stdin.on("end", () => { const { id } = JSON.parse(text); say({ id, response: "all read" }); });`;

  it("may read its whole input, which is found out", async () => {
    const pool = openPool(READ_ALL, { silenceMs: 50, maxParallel: 2 });
    const answers = await Promise.all(Array.from({ length: 5 }, (_, id) => ask(pool, id)));
    expect(answers.map(({ fields }) => fields.response)).toEqual(Array(5).fill("all read"));
    expect(countStarts()).toBe(5);
  });

  it("is not waited for if it is declared", async () => {
    const pool = openPool(READ_ALL, { silenceMs: 600_000, once: true });
    expect((await ask(pool, 1)).fields.response).toBe("all read");
  });

  it("is told from a program that is slow to start", async () => {
    const pool = openPool(
      `require("node:fs");
       const until = Date.now() + 400; while (Date.now() < until);
       ${ECHO}`,
      { silenceMs: 1, maxParallel: 1 },
    );
    for (let id = 0; id < 5; id += 1) expect((await ask(pool, id)).fields.response).toBe(`question ${id}`);
    expect(countStarts()).toBe(2);
  });

  it("is an error if it does not answer", async () => {
    const pool = openPool(`process.stdin.resume();`, { silenceMs: 20 });
    const problem = await findProblem(ask(pool, 1));
    expect(problem.code).toBe("PROGRAM_EXITED");
    expect(problem.message).toContain("exited with code 0 before it answered");
  });
});

describe("bad programs", () => {
  const answerWith = (answer: string) =>
    `lines.on("line", (line) => { const { id } = JSON.parse(line); if (id === "good") say({ id }); else { ${answer} } });`;

  it.each([
    ["no JSON", `console.log("Loading the model …");`, "PROGRAM_NOT_JSON", 'not a JSON object: "Loading the model …"'],
    ["a JSON text", `say("done");`, "PROGRAM_NOT_JSON", "not a JSON object"],
    ["no id", `say({ response: "x" });`, "PROGRAM_NO_ID", 'without an "id"'],
    ["an id that was not asked", `say({ id: "other" });`, "PROGRAM_UNKNOWN_ID", '"other", which was not asked'],
    [
      "two lines",
      `const twice = JSON.stringify({ id }) + "\\n"; process.stdout.write(twice + twice);`,
      "PROGRAM_ANSWERED_TWICE",
      'second answer to the request "bad"',
    ],
    [
      "invalid UTF-8",
      `process.stdout.write(Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]));`,
      "PROGRAM_NOT_UTF8",
      "not valid UTF-8",
    ],
    ["a huge line", `process.stdout.write("x".repeat(300_000));`, "PROGRAM_LINE_TOO_LONG", "more than 100000 bytes"],
    ["a closed stdout", `require("node:fs").closeSync(1);`, "PROGRAM_EXITED", "closed its stdout"],
    ["half an answer", `process.stdout.write('{"id": "ba'); process.exit(0);`, "PROGRAM_NOT_JSON", "not a JSON object"],
    [
      "nothing, killed",
      `process.kill(process.pid, "SIGKILL");`,
      "PROGRAM_EXITED",
      "was ended by SIGKILL before it answered",
    ],
    ["exit 127", `process.exit(127);`, "PROGRAM_NOT_FOUND", "exited with code 127"],
  ])("one that prints %s fails its request, and the next one is answered", async (_, answer, code, text) => {
    const pool = openPool(answerWith(answer), { maxParallel: 1, maxLineBytes: 100_000 });
    const problem = await findProblem(ask(pool, "bad"));
    expect(problem.code).toBe(code);
    expect(problem.message).toContain(text);
    expect((await ask(pool, "good")).fields.id).toBe("good");
  });

  it("a wrong announcement says what is wrong", async () => {
    const pool = openPool(`say({ concurrency: "many" }); ${ECHO}`);
    const problem = await findProblem(ask(pool, 1));
    expect(problem.message).toContain('announced a concurrency of the string "many". It must be a whole number');
  });

  it("one that never answers is stopped after the limit", async () => {
    const pool = openPool(
      `lines.on("line", (line) => { const { id } = JSON.parse(line); if (id === "good") say({ id }); else console.error("thinking"); });
       process.on("SIGTERM", () => {});`,
      { maxParallel: 1 },
    );
    await ask(pool, "good");
    const problem = await findProblem(ask(pool, "bad", { timeoutMs: 300 }));
    expect(problem.code).toBe("PROGRAM_TIMEOUT");
    expect(problem.message).toContain("program did not answer within 0.3 s.");
    expect((await ask(pool, "good")).fields.id).toBe("good");
  });

  it("one that does not exist is not looked for again and again", async () => {
    const pool = new ProgramPool({ words: ["assay-no-such-program", "x.py"] });
    const problem = await findProblem(ask(pool, 1));
    expect(problem).toMatchObject({
      code: "PROGRAM_NOT_FOUND",
      message:
        'assay-no-such-program x.py did not start: Program "assay-no-such-program" not found. Check its name and PATH.',
    });
  });

  it("one that ends at every start is given up", async () => {
    const pool = openPool(`console.error("no module named x"); process.exit(1);`);
    for (let id = 0; id < 5; id += 1) await findProblem(ask(pool, id));
    const starts = countStarts();
    const problem = await findProblem(ask(pool, 9));
    expect(problem.message).toContain("failed 5 times in a row without an answer, and is not started again");
    expect(problem.message).toContain("no module named x");
    expect(countStarts()).toBe(starts);
  });
});

describe("stderr", () => {
  it("belongs to the request during which it was printed", async () => {
    const pool = openPool(
      `process.stderr.write("warming up\\n");
       lines.on("line", (line) => { const { id } = JSON.parse(line); process.stderr.write("about " + id + "\\n"); say({ id }); });`,
      { maxParallel: 1 },
    );
    expect((await ask(pool, "a")).stderr).toBe("warming up\nabout a\n");
    expect((await ask(pool, "b")).stderr).toBe("about b\n");
  });

  it("never blocks the program, and only its beginning and end are kept", async () => {
    const pool = openPool(
      `lines.on("line", (line) => {
         const { id } = JSON.parse(line);
         for (let i = 0; i < 200; i++) require("node:fs").writeSync(2, (i + "x".repeat(100_000)).slice(0, 100_000) + "\\n");
         say({ id });
       });`,
      { maxStderrBytes: 1000 },
    );
    const { stderr } = await ask(pool, 1);
    expect(stderr.length).toBeLessThan(1100);
    expect(stderr).toMatch(/^0xxx/);
    expect(stderr).toContain("bytes left out");
  });
});

describe("ending", () => {
  it("an aborted request ends its process, and others go on", async () => {
    const pool = openPool(
      `lines.on("line", (line) => { const { id } = JSON.parse(line); note("got " + id + " " + process.pid); if (id !== "slow") say({ id, pid: process.pid }); });`,
      { maxParallel: 1 },
    );
    const { fields } = await ask(pool, "a");
    const stop = new AbortController();
    const slow = ask(pool, "slow", { signal: stop.signal });
    await expect.poll(() => readFileSync(join(folder, "log.txt"), "utf8")).toContain("got slow");
    stop.abort(new Error("enough"));
    await expect(slow).rejects.toThrow("enough");
    const next = await ask(pool, "b");
    expect(next.fields.pid).not.toBe(fields.pid);
    await expect.poll(() => isAlive(Number(fields.pid))).toBe(false);
  });

  it("one of several requests in a process can be given up", async () => {
    const pool = openPool(
      `say({ concurrency: 2 });
       let held;
       lines.on("line", (line) => {
         const { id } = JSON.parse(line);
         if (id === "slow") { held = id; note("got slow"); return; }
         if (id === "late") say({ id: held });
         say({ id, pid: process.pid });
       });`,
      { maxParallel: 1 },
    );
    const first = await ask(pool, "a");
    const stop = new AbortController();
    const slow = ask(pool, "slow", { signal: stop.signal });
    await expect.poll(() => readFileSync(join(folder, "log.txt"), "utf8")).toContain("got slow");
    stop.abort(new Error("enough"));
    await expect(slow).rejects.toThrow("enough");
    for (const id of ["b", "late", "c"]) expect((await ask(pool, id)).fields.pid).toBe(first.fields.pid);
    expect(countStarts()).toBe(1);
  });

  it("closing ends the program and what it started, politely first", async () => {
    const pool = openPool(
      `const { spawn } = require("node:child_process");
       const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
       lines.on("line", (line) => say({ id: JSON.parse(line).id, pids: [process.pid, child.pid] }));
       lines.on("close", () => { note("end of input"); process.exit(0); });`,
    );
    const { fields } = await ask(pool, 1);
    await pool.close();
    expect((fields.pids as number[]).filter(isAlive)).toEqual([]);
    expect(readFileSync(join(folder, "log.txt"), "utf8")).toContain("end of input");
    await expect(ask(pool, 2)).rejects.toThrow("was closed");
  });

  it("closing does not wait for a program that ignores everything", async () => {
    const pool = openPool(
      `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);
       lines.on("line", (line) => say({ id: JSON.parse(line).id, pid: process.pid }));`,
    );
    const { fields } = await ask(pool, 1);
    await pool.close();
    expect(isAlive(Number(fields.pid))).toBe(false);
    expect(existsSync(join(folder, "log.txt"))).toBe(true);
  });
});
