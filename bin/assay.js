#!/usr/bin/env node
const [only, ...others] = process.argv.slice(2);
const isHelp = (only === "--help" || only === "-h") && others.length === 0;

if (!isHelp || !printHelp()) {
  keepCompiledCode();
  const { main } = await import("../dist/cli/main.js");
  await main(process.argv);
}

/**
 * Prints the help that was made when the package was built: it is always the same, and nothing has to be loaded for it.
 * False when it could not be printed like this.
 */
function printHelp() {
  try {
    // An import would bring the streams along, which take longer than all the rest.
    const { readFileSync, writeSync } = process.getBuiltinModule("node:fs");
    const help = readFileSync(new URL("../dist/cli/help.txt", import.meta.url));
    for (let done = 0; done < help.length; ) done += writeSync(1, help, done);
    return true;
  } catch (error) {
    // A reader that has seen enough is not an error.
    return error.code === "EPIPE";
  }
}

/**
 * Has a Node that can (from 22.1) keep what it has compiled for the next start: a quarter of the time of many commands.
 * In a folder of the user's own, because others can write to that of temporary files.
 */
function keepCompiledCode() {
  const { XDG_CACHE_HOME, HOME } = process.env;
  const caches = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`);
  if (caches) process.getBuiltinModule?.("node:module").enableCompileCache?.(`${caches}/assay/code`);
}
