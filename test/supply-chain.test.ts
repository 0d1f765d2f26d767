// What is installed with Assay, and with a checkout of it: checked by digest, for every platform, and listed.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Sbom {
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly licenses: unknown;
    readonly hashes: unknown;
    readonly properties: readonly { readonly value: string }[];
  }[];
}

const SCRIPT = new URL("../scripts/sbom.mjs", import.meta.url).href;
const { makeSbom } = (await import(SCRIPT)) as {
  makeSbom: (manifest: unknown, lock: unknown, bundled: ReadonlySet<string>) => Sbom;
};

const lock = readJson("package-lock.json") as { packages: Record<string, LockedPackage> };
const locked = Object.entries(lock.packages).filter(([key]) => key !== "");

describe("package-lock.json", () => {
  it("has a digest of every package, for all platforms", () => {
    expect(locked.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([key]) => key)).toEqual([]);
  });

  it("has every platform's package of what it locks", () => {
    const names = new Set(locked.map(([key]) => key.slice(key.lastIndexOf("node_modules/") + 13)));
    const missing = locked.flatMap(([, entry]) =>
      Object.keys(entry.optionalDependencies ?? {}).filter((name) => !names.has(name)),
    );
    expect(missing).toEqual([]);
  });

  it("names no registry", () => {
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});

describe("bill of materials", () => {
  const manifest = readJson("package.json") as { dependencies: Record<string, string> };
  const built = readJson("dist/sbom.cdx.json") as Sbom;
  const delivery = new Map(built.components.map((part) => [part.name, part.properties[0]?.value]));

  it("lists installed packages, their dependencies, and bundled code", () => {
    for (const name of Object.keys(manifest.dependencies)) expect(delivery.get(name), name).toBe("installed");
    expect(delivery.get("@duckdb/node-bindings-darwin-arm64")).toBe("installed");
    expect(delivery.get("undici")).toBe("bundled");
    expect(delivery.get("preact")).toBe("bundled");
    expect(delivery.has("vitest")).toBe(false);
  });

  it("lists every package whose license is shipped", () => {
    const licenses = readFileSync(new URL("../dist/THIRD-PARTY-LICENSES.txt", import.meta.url), "utf8");
    const names = licenses.split(`\n${"-".repeat(80)}\n\n`).map((text) => text.slice(0, text.indexOf("\n")));
    expect(names.filter((name) => !delivery.has(name))).toEqual([]);
  });

  it("has version, license and digest of each", () => {
    for (const part of built.components) {
      expect(part.licenses, part.name).toHaveLength(1);
      expect(part.hashes, part.name).toEqual([{ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
      expect(part.purl).toBe(`pkg:npm/${part.name.replace("@", "%40")}@${part.version}`);
    }
  });

  it("rejects a lock file with a missing dependency", () => {
    const packages = { "node_modules/a": { version: "1.0.0", dependencies: { b: "1.0.0" } } };
    const own = { name: "own", version: "1.0.0", dependencies: { a: "1.0.0" } };
    expect(() => makeSbom(own, { packages }, new Set())).toThrow("no entry for b");
  });
});

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), "utf8"));
}
