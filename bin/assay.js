#!/usr/bin/env node
const args = process.argv.slice(2);
const [only, ...others] = args;
const isHelp = (only === "--help" || only === "-h") && others.length === 0;

if (!isHelp || !printHelp()) {
  require("../dist/cli/kept-code.cjs").keepCode(process.env, args);
  void require("../dist/cli/main.cjs").main(process.argv);
}

/**
 * Prints the help that was made when the package was built: it is always the same, and nothing has to be loaded for it.
 * False when it could not be printed like this.
 */
function printHelp() {
  const { readFileSync, writeSync } = require("node:fs");
  try {
    const help = readFileSync(`${__dirname}/../dist/cli/help.txt`);
    for (let done = 0; done < help.length; ) done += writeSync(1, help, done);
    return true;
  } catch (error) {
    // A reader that has seen enough is not an error.
    return error.code === "EPIPE";
  }
}
