// Short programs a second in the sandbox, against the interpreter alone in the same run, and short JavaScript tasks
// with their tests.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { CodeExecution, openSandbox } from "assay";

const COUNT = 100;
const ROUNDS = 3;
const run = promisify(execFile);

const SHORT = {
  python: { name: "main.py", text: "print(sum(range(100)))" },
  javascript: {
    name: "main.js",
    text: "console.log(Array.from({ length: 100 }, (_, n) => n).reduce((a, b) => a + b))",
  },
};

export async function measure() {
  const sandbox = await openSandbox();
  try {
    const rows = [];
    for (const [language, { name, text }] of Object.entries(SHORT)) {
      const { path } = sandbox.interpreter(language);
      const flag = language === "python" ? "-c" : "-e";
      const boxed = () => sandbox.run({ language, files: { [name]: text }, main: name });
      const bare = () => run(path, [flag, text], { env: {} });
      const best = { boxed: 0, bare: 0 };
      for (let round = 0; round < ROUNDS; round++) {
        best.boxed = Math.max(best.boxed, await perSecond(boxed));
        best.bare = Math.max(best.bare, await perSecond(bare));
      }
      const figures = `${Math.round(best.boxed)}/s (the interpreter alone ${Math.round(best.bare)}/s)`;
      rows.push([
        `short ${language} programs in the sandbox`,
        language === "python" ? "≥ 50/s on two cores" : "≥ 25/s on two cores",
        figures,
      ]);
    }
    rows.push(["code_execution on short javascript tasks: right; wrong", "–", await judged(sandbox)]);
    return rows;
  } finally {
    await sandbox.close();
  }
}

const TASK = {
  id: 1,
  question: "Write sum(n), the sum of all numbers below n.",
  test: "const assert = require('assert'); assert.strictEqual(sum(100), 4950); assert.deepStrictEqual([2, 3].map(sum), [1, 3]);",
  entry_point: "sum",
};
const program = (first) =>
  `\`\`\`js\nfunction sum(n) {\n  let all = ${first};\n  for (let i = 0; i < n; i++) all += i;\n  return all;\n}\n\`\`\``;

async function judged(sandbox) {
  const evaluator = new CodeExecution({ language: "javascript", sandbox });
  try {
    const figures = [];
    for (const [response, expected] of [
      [program(0), 1],
      [program(1), 0],
    ]) {
      const once = async () => {
        const scored = await evaluator.score(TASK, { response });
        if ((scored.scores ?? scored).pass_at_1 !== expected)
          throw new Error(`a short task came to ${JSON.stringify(scored)}`);
        return { stdout: "4950" };
      };
      figures.push(`${Math.round(await bestOf(once))}/s`);
    }
    return figures.join("; ");
  } finally {
    await evaluator.close();
  }
}

async function bestOf(once) {
  let best = 0;
  for (let round = 0; round < ROUNDS; round++) best = Math.max(best, await perSecond(once));
  return best;
}

/** Two at a time, as there are two cores. */
async function perSecond(once) {
  const start = performance.now();
  let left = COUNT;
  const worker = async () => {
    while (left-- > 0) {
      const { stdout } = await once();
      if (stdout.trim() !== "4950") throw new Error(`a short program printed ${JSON.stringify(stdout)}`);
    }
  };
  await Promise.all([worker(), worker()]);
  return (COUNT / (performance.now() - start)) * 1000;
}
