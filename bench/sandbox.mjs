// Short programs a second in the sandbox, each in a box of its own, against the interpreter alone in the same run.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { openSandbox } from "assay";

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
      rows.push([`short ${language} programs in the sandbox`, "≥ 50/s on two cores", figures]);
    }
    return rows;
  } finally {
    await sandbox.close();
  }
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
