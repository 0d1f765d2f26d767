/**
 * The folder an agent works in, as an example describes it. Every part is optional; without any, the folder is empty.
 * @example
 * const environment: Environment = { files: [{ dest: "add.js", content: "export const add = 0;" }], commands: ["npm ci"] };
 */
export interface Environment {
  /** A repository to check out first. */
  readonly git?: { readonly url: string; readonly ref?: string };
  /** Files to write after the checkout, in this order. */
  readonly files?: readonly EnvironmentFile[];
  /** Shell commands to run in the folder afterwards, in this order. If one fails, the trial ends with an error. */
  readonly commands?: readonly string[];
  /** Environment variables for those commands, the agent and the graders. */
  readonly env?: Readonly<Record<string, string>>;
  /** Skills to offer the agent: folders with a SKILL.md, replaced by their contents when the example is loaded. */
  readonly skills?: readonly (string | OfferedSkill)[];
  /** MCP servers for the agent, by name. */
  readonly mcpServers?: Readonly<Record<string, McpServer>>;
  /** The container image that all its programs run in. Needs `--isolation container:docker` or `container:podman`. */
  readonly image?: string;
  /** Instead of an image: the path of a Dockerfile, built with its folder, which loading replaces by the folder's files. */
  readonly dockerfile?: string | ImageSource;
  /** The folder of the image that the agent's folder begins with, and is mounted at. Default: the image's own WORKDIR. */
  readonly workdir?: string;
  /** What its programs may use in a box or a container, at most. Replaces `--box-limit`. */
  readonly limits?: Partial<ResourceLimits>;
  /** What a container gets even if others want it too. */
  readonly guaranteed?: Partial<Pick<ResourceLimits, "cpus" | "memoryGib">>;
}

/** The files that an image is built from. */
export interface ImageSource {
  /** The path of the Dockerfile among the files. */
  readonly dockerfile: string;
  readonly files: readonly Exclude<EnvironmentFile, { src: string }>[];
}

/** What all programs of a trial may use together. */
export interface ResourceLimits {
  /** Concurrent processes and threads. */
  readonly processes: number;
  /** 1 GiB is 2^30 bytes. */
  readonly memoryGib: number;
  /** Cores; a part of one may be 0.5. */
  readonly cpus: number;
  /** What its folders may grow to. */
  readonly diskGib: number;
}

/** A snapshot of a skill that is offered to an agent. */
export interface OfferedSkill {
  readonly name: string;
  /** Paths relative to the skill's folder, including SKILL.md. */
  readonly files: readonly Exclude<EnvironmentFile, { src: string }>[];
}

/** A Model Context Protocol server: a program in the workspace, or a URL. */
export type McpServer =
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };

/**
 * A file or folder of the environment. In a dataset file, `src` is a path next to the dataset; loading replaces it with
 * file contents, so that every trial starts from the same state even if the original changes.
 */
export type EnvironmentFile =
  | { readonly src: string; readonly dest: string }
  | {
      /** Path relative to the folder. */
      readonly dest: string;
      readonly content: string;
      /** Default: plain text. */
      readonly encoding?: "base64";
      readonly executable?: boolean;
    };

/** What an agent changed in its folder. Enough to rebuild the folder from the example. */
export interface WorkspaceChanges {
  readonly changes: readonly FileChange[];
  /** Why changes are missing, such as their size; absent if all are recorded. */
  readonly incomplete?: string;
}

/** A file or empty folder that differs from the initial state. */
export type FileChange =
  | {
      readonly path: string;
      readonly status: "added" | "modified";
      readonly content: string;
      readonly encoding?: "base64";
      readonly executable?: boolean;
    }
  | { readonly path: string; readonly status: "deleted" }
  /** A folder that was created or emptied and is now empty. */
  | { readonly path: string; readonly status: "folder" }
  /** A symbolic link and its target. */
  | { readonly path: string; readonly status: "linked"; readonly target: string };

/** The state of the workspace after a trial; only its changes are stored. */
export interface WorkspaceState extends WorkspaceChanges {
  /** The folder, as long as it exists. */
  readonly path?: string;
}
