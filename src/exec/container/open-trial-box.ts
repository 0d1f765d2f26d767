import type { Environment } from "../../core/index.js";
import { UsageError } from "../../core/index.js";
import { Box } from "../box/box.js";
import type { BoxSettings } from "../box/box-settings.js";
import type { BoxPlaces, TrialBox } from "../box/trial-box.js";
import { Container } from "./container.js";

export interface TrialBoxOptions {
  /** Null for no box. */
  readonly settings: BoxSettings | null;
  readonly environment: Environment;
  readonly places: BoxPlaces;
  /** Stops waiting for what the example is guaranteed. */
  readonly signal?: AbortSignal;
}

/** Opens what the settings name, with the limits of the example; null for no box. Throws when this machine cannot make it. */
export async function openTrialBox({
  settings,
  environment,
  places,
  signal,
}: TrialBoxOptions): Promise<TrialBox | null> {
  requireImageIsolation(environment, settings);
  if (settings === null) return null;
  const limited = { ...settings, limits: { ...settings.limits, ...environment.limits } };
  return settings.kind === "box" ? Box.open(limited, places) : Container.open(limited, places, { environment, signal });
}

/** Throws when an example has an image, and its programs would not run in it. */
export function requireImageIsolation(environment: Environment, settings: BoxSettings | null): void {
  const { image, dockerfile } = environment;
  if ((image === undefined && dockerfile === undefined) || (settings !== null && settings.kind !== "box")) return;
  const what = image === undefined ? "an image of its own Dockerfile" : `the image ${image}`;
  throw new UsageError(`The example runs in ${what}: add --isolation container:docker or container:podman.`);
}
