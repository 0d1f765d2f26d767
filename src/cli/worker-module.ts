import { ModuleError } from "../core/errors.js";
import type { EvaluateOptions } from "../evaluate.js";
import { loadModule } from "./load-module.js";

/** A module exports options of `evaluate` as `default` or `options`, or a function that returns them. */
export async function loadModuleOptions(path: string): Promise<EvaluateOptions> {
  const exports = await loadModule(path, "module of the run");
  const exported = exports.default ?? exports.options;
  const options: unknown = typeof exported === "function" ? await (exported as () => unknown)() : exported;
  if (typeof options === "object" && options !== null) return options as EvaluateOptions;
  throw new ModuleError(
    `${path} exports no evaluate() options. Export them as \`default\` or as \`options\`, or a function that returns them.`,
  );
}
