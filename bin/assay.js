#!/usr/bin/env node
import module from "node:module";

// Keeps compiled code for the next start. Node has it from 22.8 on; older ones go without.
module.enableCompileCache?.();
const { main } = await import("../dist/cli/main.js");
void main(process.argv);
