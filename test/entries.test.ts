import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

interface Manifest {
  exports: Record<string, string | { types: string; default: string }>;
  dependencies: Record<string, string>;
}
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;
const entries = Object.keys(manifest.exports)
  .filter((path) => path !== "./package.json")
  .map((path) => path.replace(/^\./, "assay"));

const dir = mkdtempSync(join(tmpdir(), "assay-entries-"));

/** The package tarball, unpacked like in a user's project, with its dependencies. */
beforeAll(() => {
  const packed = execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", dir], {
    cwd: ROOT,
    encoding: "utf8",
  });
  execFileSync("tar", ["-xzf", join(dir, packed.trim()), "-C", dir]);
  for (const name of [...Object.keys(manifest.dependencies), "@types/node"])
    link(join(ROOT, "node_modules", name), name);
  link(join(dir, "package"), "assay");
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

function link(target: string, name: string): void {
  const path = join(dir, "node_modules", name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

/** Uses a value and a type of each entry in a way that fails if a type is `any`. */
const USES = `
const rate: number = stats.wilsonInterval(8, 10).low;
const system: assay.System = new assay.FunctionSystem({ name: "mine", fn: () => "Paris" });
const mock: testing.MockOptions = { reply: "Paris" };
const failed: Error = new errors.UsageError("no");
const price: Promise<models.ModelsFile> = models.loadModels("models.yml");
// @ts-expect-error: the entry has types
assay.evaluate(1);
`;
const NAMES = ["stats", "testing", "errors", "models"];
const PROGRAMS = {
  import: `import * as assay from "assay";\n${NAMES.map((name) => `import * as ${name} from "assay/${name}";`).join("\n")}${USES}`,
  require: `import assay = require("assay");\n${NAMES.map((name) => `import ${name} = require("assay/${name}");`).join("\n")}${USES}`,
  all: entries.map((entry, i) => `import * as entry${i} from "${entry}";\nentry${i} satisfies object;`).join("\n"),
};

/** TypeScript errors of a program, including the package's declarations. */
function check(file: string, text: string, options: ts.CompilerOptions): string[] {
  const path = join(dir, file);
  writeFileSync(path, text);
  const program = ts.createProgram([path], {
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts"],
    types: ["node"],
    typeRoots: [join(dir, "node_modules/@types")],
    strict: true,
    noEmit: true,
    ...options,
  });
  return ts.getPreEmitDiagnostics(program).map(({ file: place, messageText }) => {
    return `${place?.fileName.replace(dir, "") ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

describe("types of each entry", () => {
  const { ModuleKind, ModuleResolutionKind } = ts;
  const NODE16 = { module: ModuleKind.Node16, moduleResolution: ModuleResolutionKind.Node16 };
  const NODENEXT = { module: ModuleKind.NodeNext, moduleResolution: ModuleResolutionKind.NodeNext };
  const BUNDLER = { module: ModuleKind.Preserve, moduleResolution: ModuleResolutionKind.Bundler };

  it.each([
    ["node16", "a.mts", "import", NODE16],
    ["nodenext", "b.mts", "import", NODENEXT],
    ["bundler", "c.ts", "import", BUNDLER],
    ["nodenext with require", "d.cts", "require", NODENEXT],
    ["bundler with require", "e.ts", "require", BUNDLER],
    ["nodenext, every entry", "f.mts", "all", NODENEXT],
  ] as const)("resolve with %s", (_, file, program, options) => {
    expect(check(file, PROGRAMS[program], options)).toEqual([]);
  });
});

describe("modules of each entry", () => {
  it.each(entries)("%s can be imported and required", (entry) => {
    const program = `
      const required = require(${JSON.stringify(entry)});
      import(${JSON.stringify(entry)}).then((imported) => console.log(Object.keys(imported).length, required === imported));`;
    const printed = execFileSync(process.execPath, ["--no-warnings", "-e", program], { cwd: dir, encoding: "utf8" });
    expect(printed).toMatch(/^[1-9]\d* true\n$/);
  });

  it("share their code: an error class of one is that of the other", () => {
    const program = `
      const { AssayError } = require("assay"), { UsageError } = require("assay/errors");
      console.log(new UsageError("x") instanceof AssayError);`;
    expect(execFileSync(process.execPath, ["--no-warnings", "-e", program], { cwd: dir, encoding: "utf8" })).toBe(
      "true\n",
    );
  });
});
