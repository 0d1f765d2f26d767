import type { ProgramBox } from "../process/index.js";
import type { BoxTraffic } from "./box-network.js";
import type { BoxSettings } from "./box-settings.js";
import type { ExceededLimit } from "./control-group.js";

/** What limits the programs of a box: a control group, or limits of each process. */
export type LimitedBy = "cgroup" | "prlimit";

/** What a row says about the box of its trial. */
export interface BoxRecord extends BoxSettings {
  /** Null when nothing was started. */
  readonly limitedBy: LimitedBy | null;
  /** Limits that were reached. */
  readonly exceeded: readonly (ExceededLimit | "disk")[];
  /** Hosts that were asked for. */
  readonly network: BoxTraffic;
  /** The container's image; absent without one. */
  readonly image?: ImageRecord;
}

/** The image of a container. */
interface ImageRecord {
  readonly name: string;
  /** Identifies its contents. */
  readonly id: string;
}

/** The part of the machine that a box shows. */
export interface BoxPlaces {
  /** For what the box itself needs. Belongs to the box, and is deleted by the caller. */
  readonly scratch: string;
  readonly writable: readonly string[];
  /** Files and folders that can be read but not written. */
  readonly readable?: readonly string[];
}

/**
 * Keeps all programs of a trial from the rest of the machine: the set-up, the agent, and the graders' programs. Bubblewrap
 * makes one, and so does a container engine.
 */
export interface TrialBox extends ProgramBox {
  readonly settings: BoxSettings;
  readonly record: BoxRecord;
  /** True if its programs run as root. */
  readonly isRoot: boolean;
  /** Folders that are made later must be in this one to be seen by `openForGraders`; null for anywhere. */
  readonly laterFolders: string | null;
  /** Copies the working folder of its image into the workspace. Absent for boxes without an image. */
  copyWorkdir?(to: string): Promise<void>;
  /**
   * Gives its folders to the user inside. Each start does so too; call it earlier where the change would be taken for work.
   */
  claim(): Promise<void>;
  /** Takes its folders back from the user inside. */
  giveBack(): Promise<void>;
  /** A box for the graders' programs, with what the programs before them have left. Close it before this one. */
  openForGraders(places: BoxPlaces): Promise<TrialBox>;
  /** Call when nothing runs in it any more. */
  close(): Promise<void>;
}
