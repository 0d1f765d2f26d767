// The software bill of materials of the package (CycloneDX 1.6): what is installed with Assay, and what is bundled in
// its modules and its page. It has no time and no random number, so that the same sources give the same file.

/**
 * @param manifest package.json
 * @param lock package-lock.json
 * @param bundled keys of the lock file's packages whose code or data is in the bundles
 */
export function makeSbom(manifest, lock, bundled) {
  const edges = new Map();
  const installed = new Set();
  const queue = Object.keys(manifest.dependencies).map((name) => `node_modules/${name}`);
  for (const key of queue) {
    if (installed.has(key)) continue;
    installed.add(key);
    const needed = listNeeded(lock, key);
    edges.set(key, needed);
    queue.push(...needed);
  }
  const keys = [...new Set([...installed, ...bundled])].sort((a, b) => (a < b ? -1 : 1));
  const refs = new Map(keys.map((key) => [key, makePackageUrl(readName(key), lock.packages[key].version)]));
  const root = makePackageUrl(manifest.name, manifest.version);
  const direct = keys.filter((key) => bundled.has(key) || readName(key) in manifest.dependencies);
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { ...describe(manifest.name, manifest, root), type: "application" } },
    components: keys.map((key) => ({
      ...describe(readName(key), lock.packages[key], refs.get(key)),
      scope: lock.packages[key].optional ? "optional" : "required",
      properties: [{ name: "assay:delivery", value: installed.has(key) ? "installed" : "bundled" }],
    })),
    dependencies: [
      { ref: root, dependsOn: direct.map((key) => refs.get(key)) },
      ...[...edges].map(([key, needed]) => ({ ref: refs.get(key), dependsOn: needed.map((to) => refs.get(to)) })),
    ],
  };
}

function describe(name, { version, license, integrity }, ref) {
  return {
    type: "library",
    "bom-ref": ref,
    name,
    version,
    purl: ref,
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
    ...(integrity === undefined ? {} : { hashes: [readHash(integrity)] }),
  };
}

function readHash(integrity) {
  const [algorithm, digest] = integrity.split("-", 2);
  return { alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(digest, "base64").toString("hex") };
}

/** What a package needs, as npm finds it: the nearest `node_modules` folder that has it. Optional peers may be absent. */
function listNeeded(lock, key) {
  const { dependencies = {}, optionalDependencies = {} } = lock.packages[key];
  return Object.keys({ ...dependencies, ...optionalDependencies }).map((name) => {
    for (let folder = key; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("node_modules/") - 1))) {
      const found = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
      if (lock.packages[found] !== undefined) return found;
      if (folder === "") throw new Error(`package-lock.json has no entry for ${name}, which ${key} needs`);
    }
  });
}

function readName(key) {
  return key.slice(key.lastIndexOf("node_modules/") + "node_modules/".length);
}

function makePackageUrl(name, version) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}
