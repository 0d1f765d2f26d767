import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { Environment } from "../../core/environment.js";
import { EnvironmentReader } from "../../exec/workspace/environment-reader.js";

/**
 * Reads what the environments of an eval file name. Each is read from the folder that holds the file and all that it
 * names: links must not lead out of that.
 * @example
 * const environment = await new EnvironmentContents(spec.file).read(stimulus.environment);
 */
export class EnvironmentContents {
  readonly #dir: string;
  readonly #readers = new Map<string, EnvironmentReader>();

  constructor(file: string) {
    this.#dir = dirname(resolve(file));
  }

  /** The environment with the contents of its files and skills; throws when it cannot be offered to an agent. */
  async read(environment: Environment): Promise<Environment> {
    const sources = (environment.files ?? []).flatMap((one) => ("src" in one ? [dirname(one.src)] : []));
    const root = sources.reduce(sharedFolder, this.#dir);
    const reader = this.#readers.get(root) ?? new EnvironmentReader(root);
    this.#readers.set(root, reader);
    return reader.read(relativeTo(root, environment));
  }
}

/** The nearest folder that both lie in. */
function sharedFolder(folder: string, path: string): string {
  const way = relative(folder, path);
  const isInside = way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  const above = dirname(folder);
  return isInside || above === folder ? folder : sharedFolder(above, path);
}

/** With sources relative to a folder, as the reader wants them. */
function relativeTo(root: string, environment: Environment): Environment {
  const { files } = environment;
  if (files === undefined) return environment;
  const pathOf = (path: string) => relative(root, path).split(sep).join("/") || ".";
  return {
    ...environment,
    files: files.map((one) => ("src" in one ? { src: pathOf(one.src), dest: one.dest } : one)),
  };
}
