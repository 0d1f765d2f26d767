/**
 * The place an agent works in, as an example describes it. Everything is optional: without any of it the folder is empty.
 * @example
 * const environment: Environment = { files: [{ dest: "add.js", content: "export const add = 0;" }], commands: ["npm ci"] };
 */
export interface Environment {
  /** A repository to check out first. */
  readonly git?: { readonly url: string; readonly ref?: string };
  /** Put in place after that, in this order. */
  readonly files?: readonly EnvironmentFile[];
  /** Run in the folder after that, in this order, by the shell. One that fails ends the trial as an error. */
  readonly commands?: readonly string[];
  /** Variables for those commands, for the agent and for graders. */
  readonly env?: Readonly<Record<string, string>>;
  /** Skills that the agent is offered: folders with a SKILL.md, which become their contents when the example is loaded. */
  readonly skills?: readonly (string | OfferedSkill)[];
  /** Servers of tools that the agent is connected to, by name. */
  readonly mcpServers?: Readonly<Record<string, McpServer>>;
}

/** A skill as an agent is offered it, whatever happens to the original. */
export interface OfferedSkill {
  readonly name: string;
  /** Below its folder, SKILL.md among them. */
  readonly files: readonly Exclude<EnvironmentFile, { src: string }>[];
}

/** A server that speaks the Model Context Protocol: a program in the workspace, or an address. */
export type McpServer =
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };

/**
 * A file or a folder of the environment. In a dataset file, `src` names one beside the dataset; when it is loaded, each
 * becomes files with a `content`, so that every trial gets the same whatever happens to the original.
 */
export type EnvironmentFile =
  | { readonly src: string; readonly dest: string }
  | {
      /** Below the folder. */
      readonly dest: string;
      readonly content: string;
      /** Text unless told. */
      readonly encoding?: "base64";
      readonly executable?: boolean;
    };

/** What an agent did to the folder it was given. Enough to make the folder again from the example. */
export interface WorkspaceChanges {
  readonly changes: readonly FileChange[];
  /** Why some of it is not here, such as its size; absent when all is. */
  readonly incomplete?: string;
}

/** One file or empty folder that is not as it was given. */
export type FileChange =
  | {
      readonly path: string;
      readonly status: "added" | "modified";
      readonly content: string;
      readonly encoding?: "base64";
      readonly executable?: boolean;
    }
  | { readonly path: string; readonly status: "deleted" }
  /** A folder that was made or emptied, and holds nothing. */
  | { readonly path: string; readonly status: "folder" }
  /** A link, by what it points to. */
  | { readonly path: string; readonly status: "linked"; readonly target: string };

/** The state that the work of a trial left behind; written down, it is its changes. */
export interface WorkspaceState extends WorkspaceChanges {
  /** The folder itself, while it is there. */
  readonly path?: string;
}
