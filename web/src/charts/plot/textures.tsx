import type { Box } from "./mark.js";

/** Drawn over a color, so that areas differ in more than it. */
export type Texture = "plain" | "stripes" | "dots" | "bars" | "checks";

/**
 * What fills with a texture of one drawing; null for none.
 * @example
 * getTextureUrl("P0-1", "dots"); // "url(#P0-1-dots)"
 */
export function getTextureUrl(prefix: string, texture: Texture): string | null {
  return texture === "plain" ? null : `url(#${prefix}-${texture})`;
}

/** The textures of one drawing: each has its own, so that a downloaded picture is whole. */
export function TextureDefs({ prefix }: { prefix: string }) {
  const common = { width: 6, height: 6, patternUnits: "userSpaceOnUse" } as const;
  return (
    <defs>
      <pattern id={`${prefix}-stripes`} {...common} patternTransform="rotate(45)">
        <rect class="texture" width={2} height={6} />
      </pattern>
      <pattern id={`${prefix}-dots`} {...common}>
        <circle class="texture" cx={3} cy={3} r={1.4} />
      </pattern>
      <pattern id={`${prefix}-bars`} {...common}>
        <rect class="texture" width={6} height={2} />
      </pattern>
      <pattern id={`${prefix}-checks`} {...common}>
        <path class="texture" d="M0,0h3v3h-3zM3,3h3v3h-3z" />
      </pattern>
    </defs>
  );
}

/** A rectangle in a color, with a texture over it. */
export function TexturedBox({ box, color, texture }: { box: Box; color: string; texture: string | null }) {
  return (
    <g>
      <rect {...box} fill={color} />
      {texture !== null && <rect {...box} fill={texture} />}
    </g>
  );
}
