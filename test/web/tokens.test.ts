import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const FOLDER = new URL("../../web/src/styles/", import.meta.url);
const TOKENS = readFileSync(new URL("tokens.css", FOLDER), "utf8");

const THEMES = ["light", "dark"] as const;
type Theme = (typeof THEMES)[number];

it.each(THEMES)("text can be read on every surface of the %s theme", (theme) => {
  for (const surface of ["ground", "raised"])
    for (const ink of ["text", "quiet", "link", "good", "bad", "warn"])
      expect(measureContrast(ink, surface, theme), `${ink} on ${surface}`).toBeGreaterThanOrEqual(4.5);
  for (const verdict of ["good", "bad", "warn", "link"])
    for (const ink of [verdict, "text", "quiet"])
      expect(measureContrast(ink, `${verdict}-surface`, theme), `${ink} on ${verdict}`).toBeGreaterThanOrEqual(4.5);
  for (let step = 0; step < 7; step++)
    expect(measureContrast(`heat-ink-${step}`, `heat-${step}`, theme), `heat ${step}`).toBeGreaterThanOrEqual(4.5);
});

it.each(THEMES)("marks stand out from every surface of the %s theme", (theme) => {
  const marks = Array.from({ length: 16 }, (_, place) => `series-${place + 1}`);
  for (const mark of [...marks, "control", "focus", "warn-line"])
    expect(measureContrast(mark, "ground", theme), mark).toBeGreaterThanOrEqual(3);
});

it.each(THEMES)("no two of the sixteen series are the same in the %s theme", (theme) => {
  const colors = Array.from({ length: 16 }, (_, place) => getColor(`series-${place + 1}`, theme));
  expect(new Set(colors.map(String)).size).toBe(16);
});

/** Linear RGB as people without one kind of cone see it: Machado, Oliveira and Fernandes 2009, severity 1. */
const VISIONS = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} as const;
type Vision = keyof typeof VISIONS;

/** In OKLab, where 0.02 is about the smallest difference that can be seen side by side; marks are small and apart. */
const MIN_COLOR_DISTANCE = 0.08;

const CASES = THEMES.flatMap((theme) => (Object.keys(VISIONS) as Vision[]).map((vision) => [theme, vision] as const));

it.each(CASES)("series that are near in color differ in shape: %s theme, %s", (theme, vision) => {
  const labs = Array.from({ length: 16 }, (_, place) =>
    toOklab(simulate(getColor(`series-${place + 1}`, theme), vision)),
  );
  const near: string[] = [];
  for (const [one, lab] of labs.entries())
    for (const [other, otherLab] of labs.entries()) {
      if (other >= one) break;
      const distance = Math.hypot(...lab.map((part, axis) => part - (otherLab[axis] ?? 0)));
      const isMain = one < 8;
      // See web/src/charts/looks.test.ts.
      const hasOwnShape = one - other !== 8;
      if (distance < MIN_COLOR_DISTANCE && (isMain || !hasOwnShape))
        near.push(`${other + 1} and ${one + 1}: ${distance}`);
    }
  expect(near).toEqual([]);
});

it("the simulation removes the difference of red and green that deuteranopes do not see", () => {
  const measure = (vision: Vision) => {
    const [red = [], green = []] = [
      [178, 90, 60],
      [118, 120, 60],
    ].map((color) => toOklab(simulate(color, vision)));
    return Math.hypot(...red.map((part, axis) => part - (green[axis] ?? 0)));
  };
  expect(measure("normal")).toBeGreaterThan(0.12);
  expect(measure("deuteranopia")).toBeLessThan(measure("normal") / 2);
});

it("colors are written in tokens.css only", () => {
  for (const name of readdirSync(FOLDER).filter((file) => file.endsWith(".css") && file !== "tokens.css")) {
    const text = readFileSync(new URL(name, FOLDER), "utf8");
    expect(text.match(/#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\([^)]*\)/gi) ?? [], name).toEqual([]);
  }
});

it("sizes of type are written in tokens.css only", () => {
  for (const name of readdirSync(FOLDER).filter((file) => file.endsWith(".css") && file !== "tokens.css")) {
    const text = readFileSync(new URL(name, FOLDER), "utf8");
    expect(text.match(/font-size: [\d.]+(?:px|rem)/g) ?? [], name).toEqual([]);
  }
});

function measureContrast(ink: string, surface: string, theme: Theme): number {
  const [one, other] = [measureLuminance(getColor(ink, theme)), measureLuminance(getColor(surface, theme))];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

function getColor(name: string, theme: Theme): number[] {
  const found = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(TOKENS);
  const hex = found?.[theme === "light" ? 1 : 2];
  if (hex === undefined) throw new Error(`tokens.css has no color --${name}.`);
  return [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));
}

/** Relative luminance as WCAG defines it. */
function measureLuminance(color: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = toLinear(color);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** From 0 to 1 each, in proportion to light. */
function toLinear(color: readonly number[]): number[] {
  return color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
}

/** Linear. */
function simulate(color: readonly number[], vision: Vision): number[] {
  return multiply(VISIONS[vision], toLinear(color)).map((part) => Math.min(Math.max(part, 0), 1));
}

/** https://bottosson.github.io/posts/oklab */
function toOklab(linear: readonly number[]): number[] {
  const cones = multiply(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    linear,
  );
  return multiply(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones.map(Math.cbrt),
  );
}

function multiply(matrix: readonly (readonly number[])[], vector: readonly number[]): number[] {
  return matrix.map((row) => row.reduce((sum, factor, index) => sum + factor * (vector[index] ?? 0), 0));
}
