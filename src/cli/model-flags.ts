import { UsageError } from "../core/errors.js";
import { didYouMean } from "../core/suggest.js";
import { DIALECT_NAMES, type DialectName } from "../models/dialects/dialect.js";
import type { ModelConfig } from "./run-config.js";

/** Values of `--proxy`, `--model`, `--name` and `--api`, each once or repeated. */
export interface ModelFlags {
  model?: readonly string[] | undefined;
  proxy?: readonly string[] | undefined;
  name?: readonly string[] | undefined;
  api?: readonly string[] | undefined;
}

/**
 * The first `--proxy` belongs to the first `--model` and the first `--name`, and so on. A proxy, model or API format given
 * once applies to all. Undefined if there is none.
 * @example
 * describeModels({ proxy: ["http://a:1", "http://b:2"], model: ["m"] }); // m behind both
 */
export function describeModels(flags: ModelFlags): ModelConfig[] | undefined {
  const { model = [], proxy = [], name = [], api = [] } = flags;
  if (model.length + proxy.length === 0) {
    const [stray] = [...name, ...api];
    if (stray === undefined) return undefined;
    throw new UsageError(`--name and --api require a --model or --proxy, but "${stray}" has none.`);
  }
  const count = Math.max(model.length, proxy.length);
  requireMatchingCount("--model", model, count);
  requireMatchingCount("--proxy", proxy, count);
  requireMatchingCount("--api", api, count);
  if (name.length > 0 && name.length !== count)
    throw new UsageError(
      `The command line has ${count} models but ${name.length} --name flags. Give one for each, or none.`,
    );
  return Array.from({ length: count }, (_, i) => {
    const [one, url, dialect, own] = [takeFlagValue(model, i), takeFlagValue(proxy, i), takeFlagValue(api, i), name[i]];
    return {
      ...(one === undefined ? {} : { model: one }),
      ...(url === undefined ? {} : { proxy: url }),
      ...(own === undefined ? {} : { name: own }),
      ...(dialect === undefined ? {} : { api: requireApiFlag(dialect) }),
    };
  });
}

function takeFlagValue(values: readonly string[], i: number): string | undefined {
  return values.length === 1 ? values[0] : values[i];
}

function requireMatchingCount(flag: string, values: readonly string[], count: number): void {
  if (values.length <= 1 || values.length === count) return;
  throw new UsageError(`${flag} is given ${values.length} times for ${count} models. Give it once, or once for each.`);
}

function requireApiFlag(name: string): DialectName {
  if ((DIALECT_NAMES as readonly string[]).includes(name)) return name as DialectName;
  throw new UsageError(
    `Unknown --api "${name}".${didYouMean(name, DIALECT_NAMES)} Use one of ${DIALECT_NAMES.join(", ")}.`,
  );
}
