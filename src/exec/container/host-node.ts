import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { runCommand } from "../process/index.js";
import type { ContainerMount } from "./engine.js";

/** Where files of this machine are in a container, next to those of its image. */
const FOLDER = "/opt/assay";

/** A folder for the end of PATH: its `node` is used if the image has none. */
export const TOOLS_FOLDER = `${FOLDER}/bin`;

/** The script that a container runs. */
export const KEEPER_FILE = `${TOOLS_FOLDER}/keeper.cjs`;

const LIBRARIES = `${FOLDER}/lib`;
const NODE = `${FOLDER}/node`;
const LOADER = `${LIBRARIES}/loader`;

/**
 * Runs this machine's Node in any image, whatever its libraries: with the loader and the libraries of this machine. On other
 * systems than Linux the image needs a Node of its own.
 */
export const NODE_COMMAND: readonly string[] =
  process.platform === "linux" ? [LOADER, "--library-path", LIBRARIES, NODE] : ["node"];

/** Programs that start themselves again use `process.execPath`, which would be the loader. */
const EXEC_PATH_SCRIPT = `process.execPath = "${TOOLS_FOLDER}/node";\n`;

const EXEC_PATH_FILE = `${TOOLS_FOLDER}/exec-path.cjs`;

const NODE_SCRIPT = `#!/bin/sh
exec ${NODE_COMMAND.join(" ")} --require ${EXEC_PATH_FILE} "$@"
`;

/** Node, its loader and its libraries; null where they are not those of Linux. */
export async function listNodeMounts(): Promise<ContainerMount[] | null> {
  if (process.platform !== "linux") return null;
  const { stdout } = await runCommand({ command: "ldd", args: [process.execPath], cwd: "/", env: { LC_ALL: "C" } });
  return [
    { from: process.execPath, to: NODE },
    ...stdout.split("\n").flatMap((line): ContainerMount[] => {
      const { name = "", path } = /^\s*(?:(?<name>\S+) => )?(?<path>\/\S+) \(0x/.exec(line)?.groups ?? {};
      if (path === undefined) return [];
      return [{ from: path, to: name === "" ? LOADER : join(LIBRARIES, basename(name)) }];
    }),
  ];
}

/** The script that a container runs, Node and its libraries, and a `node` for programs that start it by name. */
export async function prepareTools(folder: string, keeper: string): Promise<ContainerMount[]> {
  const mounts = await listNodeMounts();
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, basename(KEEPER_FILE)), keeper);
  if (mounts === null) return [{ from: folder, to: TOOLS_FOLDER }];
  await writeFile(join(folder, "node"), NODE_SCRIPT, { mode: 0o755 });
  await writeFile(join(folder, basename(EXEC_PATH_FILE)), EXEC_PATH_SCRIPT);
  return [{ from: folder, to: TOOLS_FOLDER }, ...mounts];
}
