import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lacksIsolation } from "../../test/isolation.js";
import type { BoxedProcess } from "./boxed-process.js";
import { textArgs } from "./interpreter-args.js";
import { KEEPER } from "./keeper.js";
import { openSandbox, type Sandbox } from "./sandbox.js";

/** Known ways out of a context of Node's, each with the object that a program would look for its maker in. */
const WAYS_OUT = [
  "this",
  "console",
  "console.log",
  "module",
  "exports",
  "arguments",
  "arguments[1]",
  "assay$key",
  "(() => { try { null.x } catch (error) { return error } })()",
  "(() => { try { console.log({ toString() { throw 1 } }.x.y) } catch (error) { return error } })()",
  "(() => { try { new Function('1') } catch (error) { return error } })()",
  "(() => { try { eval('1') } catch (error) { return error } })()",
  "(() => { let found; const f = () => { try { f() } catch (error) { found ??= error; try { console.log(1) } catch (other) { found = other } } }; f(); return found })()",
  "(() => { let found; try { console.log('%s', { toString() { found = this; return 'x' } }) } catch {} return found ?? {} })()",
  "(() => { let found; Error.prepareStackTrace = (_, sites) => { found = sites; return '' }; new Error('x').stack; return found })()",
  "(() => { let found; Error.prepareStackTrace = (_, sites) => { found = sites.map((site) => site.getFunction() ?? site.getThis()).find(Boolean); return '' }; new Error('x').stack; return found ?? {} })()",
];

const found = (way: string) => `
const start = ${way};
const makers = [() => start.constructor.constructor, () => Object.getPrototypeOf(Object.getPrototypeOf(start) ?? start).constructor.constructor, () => start.constructor];
for (const maker of makers) {
  let reached;
  try { reached = typeof maker()('return process')().binding } catch { continue }
  if (reached === 'function') console.log('OUT');
}`;

/** Whoever runs in a warm box was looked at before. Here nobody was: the context itself has to hold. */
describe.skipIf(await lacksIsolation())("a closed context", () => {
  let sandbox: Sandbox;
  let box: BoxedProcess;

  beforeAll(async () => {
    sandbox = await openSandbox();
    box = await sandbox.start({ language: "javascript", args: textArgs("javascript", KEEPER), isLasting: true });
    expect(await box.lines.next()).toBe("ready");
  });

  afterAll(() => sandbox?.close());

  async function run(text: string): Promise<unknown> {
    box.lines.send(JSON.stringify({ nonce: "n", main: "main.js", text, outputBytes: 1000 }));
    return JSON.parse((await box.lines.next()) ?? "null");
  }

  it.each(WAYS_OUT)("lets nobody out by the maker of %s", async (way) => {
    const [nonce, , printed = ""] = (await run(found(way))) as unknown[];
    expect(nonce).toBe("n");
    expect(printed).not.toContain("OUT");
  });

  it.each([
    "import('fs').then(() => console.log('OUT'))",
    "for (const name of 'process require fetch Buffer setTimeout performance nonce send trial fs vm'.split(' ')) if (name in globalThis) console.log('OUT', name)",
    "if (typeof require !== 'undefined' || typeof process !== 'undefined' || typeof trial !== 'undefined') console.log('OUT')",
  ])("has nothing of Node's own: %s", async (text) => {
    const [nonce, , printed = ""] = (await run(text)) as unknown[];
    expect(nonce).toBe("n");
    expect(printed).not.toContain("OUT");
  });

  it("leaves its own world as it was", async () => {
    const spoil = `
for (const way of [() => Object.prototype, () => Array.prototype, () => Promise.prototype, () => Map.prototype, () => Set.prototype, () => Function.prototype, () => String.prototype, () => Error.prototype, () => RegExp.prototype]) {
  for (const name of Object.getOwnPropertyNames(way())) try { way()[name] = () => { throw 1 } } catch {}
}
Object.prototype.toJSON = () => 'spoiled';
Object.prototype.nonce = 'mine';
Object.prototype.code = 9;`;
    await run(spoil);
    expect(await run("console.log([1, 2].map((x) => x + 1), 'a b'.split(' '), {}.code)")).toEqual([
      "n",
      0,
      "[ 2, 3 ] [ 'a', 'b' ] undefined\n",
      "",
    ]);
  });
});
