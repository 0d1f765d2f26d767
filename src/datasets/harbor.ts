import type { DatasetDefinition } from "../core/index.js";

/**
 * Task folders of Harbor and Terminal-Bench 2: `--dataset harbor:DIR`, for one task or a folder of tasks.
 * @example
 * registry.register("dataset", "harbor", harbor);
 */
export const harbor: DatasetDefinition = {
  description: "Task folders of Harbor and Terminal-Bench 2: harbor:DIR. They need --isolation container:….",
  evaluators: ["graders"],
  // Their reader needs packages that no other dataset does.
  load: async ({ config }) => (await import("./harbor-tasks.js")).loadHarborTasks(config ?? ""),
};
