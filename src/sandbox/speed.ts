import type { Language } from "./interpreters.js";
import type { Sandbox } from "./sandbox.js";

const SHORT: Record<Language, { name: string; text: string; prints: string }> = {
  python: { name: "main.py", text: "print(sum(range(100)))", prints: "4950\n" },
  javascript: {
    name: "main.js",
    text: "console.log(Array.from({ length: 100 }, (_, n) => n).reduce((a, b) => a + b))",
    prints: "4950\n",
  },
};

/**
 * How many short programs a sandbox runs in a second, each in a box of its own, as many at a time as it allows.
 * @example
 * await programsPerSecond(await openSandbox(), { language: "python", count: 100 });
 */
export async function programsPerSecond(
  sandbox: Sandbox,
  { language, count }: { language: Language; count: number },
): Promise<number> {
  const { name, text, prints } = SHORT[language];
  const started = performance.now();
  const results = await Promise.all(
    Array.from({ length: count }, () => sandbox.run({ language, files: { [name]: text }, main: name })),
  );
  const seconds = (performance.now() - started) / 1000;
  const wrong = results.find(({ stdout }) => stdout !== prints);
  if (wrong !== undefined)
    throw new Error(`A short program did not run: ${wrong.stderr || `it ended with ${wrong.exitCode}`}`);
  return count / seconds;
}
