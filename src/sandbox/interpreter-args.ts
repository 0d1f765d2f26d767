import type { Language } from "./interpreters.js";
import type { SandboxLimits } from "./limits.js";

/** A heap that is full says so; a process that meets the kernel's limit just dies. */
const HEAP_SHARE = 0.75;

/** The arguments that run the program in a file. */
export function fileArgs(language: Language, path: string, limits: SandboxLimits): string[] {
  // -E -s: neither environment nor the user's own packages count. -B writes no caches.
  return language === "python" ? ["-E", "-s", "-B", path] : [...nodeFlags(limits), path];
}

/** The arguments that run a text. Python comes without the packages that were installed: that saves a third of its start. */
export function textArgs(language: Language, text: string, limits: SandboxLimits): string[] {
  return language === "python" ? ["-I", "-S", "-B", "-c", text] : [...nodeFlags(limits), "-e", text];
}

function nodeFlags({ memoryBytes }: SandboxLimits): string[] {
  return [`--max-old-space-size=${Math.floor((memoryBytes * HEAP_SHARE) / 2 ** 20)}`, "--v8-pool-size=1"];
}
