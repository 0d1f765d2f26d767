import { didYouMean, UsageError } from "../core/index.js";

/** A setting of one or several numbers within bounds. */
interface NumberSetting {
  readonly low: number;
  readonly high: number;
  readonly whole: boolean;
  /** True if several values may be given, separated by commas. */
  readonly isList: boolean;
}

/** The settings that may follow the colon of a generated dataset. */
export interface SettingsSyntax {
  readonly dataset: string;
  readonly settings: Readonly<Record<string, NumberSetting>>;
  /** An example for messages. */
  readonly example: string;
}

/**
 * Parses settings such as `lengths=500,1000;depths=0,0.5`.
 * @example
 * parseNumberSettings("needles=3", syntax); // { needles: 3 }
 */
export function parseNumberSettings(config: string, syntax: SettingsSyntax): Record<string, number | number[]> {
  const chosen: Record<string, number | number[]> = {};
  const misuse = (problem: string) =>
    new UsageError(
      `Invalid ${syntax.dataset} config: ${problem}${problem.endsWith(".") ? "" : "."} Example: ${syntax.example}`,
    );
  for (const part of config.split(";")) {
    if (part.trim() === "") continue;
    const [key = "", value, ...rest] = part.split("=").map((side) => side.trim());
    if (value === undefined || rest.length > 0) throw misuse(`"${part.trim()}" is not KEY=VALUE`);
    const setting = Object.hasOwn(syntax.settings, key) ? syntax.settings[key] : undefined;
    if (setting === undefined)
      throw misuse(`unknown setting "${key}".${didYouMean(key, Object.keys(syntax.settings))}`);
    if (Object.hasOwn(chosen, key)) throw misuse(`"${key}" is set twice`);
    const read = parseSettingValue(value, setting);
    if ("problem" in read) throw misuse(`${key} ${read.problem}`);
    chosen[key] = read.value;
  }
  return chosen;
}

type ParsedSetting = { value: number | number[] } | { problem: string };

function parseSettingValue(text: string, setting: NumberSetting): ParsedSetting {
  const texts = setting.isList ? text.split(",").map((item) => item.trim()) : [text];
  const list = texts.map((item) => (item === "" ? Number.NaN : Number(item)));
  const bad = list.findIndex((value) => !isInRange(value, setting));
  if (bad !== -1) {
    const { low, high, whole } = setting;
    return { problem: `takes ${whole ? "whole numbers" : "numbers"} from ${low} to ${high}, not "${texts[bad]}"` };
  }
  const repeated = list.find((item, index) => list.indexOf(item) !== index);
  if (repeated !== undefined) return { problem: `names ${repeated} twice` };
  return { value: setting.isList ? list : (list[0] as number) };
}

function isInRange(value: number, { low, high, whole }: NumberSetting): boolean {
  return value >= low && value <= high && (!whole || Number.isInteger(value));
}
