#!/usr/bin/env node
import { existsSync } from "node:fs";
import module from "node:module";

const entry = new URL("../dist/cli/main.js", import.meta.url);
if (!existsSync(entry)) {
  console.error("Assay is not built yet, as after an install without scripts. Run this in its folder: npm run build");
  process.exit(3);
}
// Keeps compiled code for the next start. Node has it from 22.8 on; older ones go without.
module.enableCompileCache?.();
const { main } = await import(entry.href);
void main(process.argv);
