import type { Language } from "./interpreters.js";

/**
 * None of V8's own flags, not even one that bounds its heap: with any of them V8 takes none of the code that Node has
 * compiled in advance, which costs a short program half of its time. The kernel bounds the heap: where it refuses a page,
 * V8 collects its garbage and asks again.
 */
const NODE_FLAGS = ["--v8-pool-size=1"];

/** The arguments that run the program in a file. */
export function fileArgs(language: Language, path: string): string[] {
  // -E -s: neither environment nor the user's own packages count. -B writes no caches.
  return language === "python" ? ["-E", "-s", "-B", path] : [...NODE_FLAGS, path];
}

/** The arguments that run a text. Python comes without the packages that were installed: that saves a third of its start. */
export function textArgs(language: Language, text: string): string[] {
  return language === "python" ? ["-I", "-S", "-B", "-c", text] : [...NODE_FLAGS, "-e", text];
}
