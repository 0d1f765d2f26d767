/** A machine whose system calls are filtered. */
export interface Machine {
  /** How the kernel names it in a filter. */
  audit: number;
  /** Calls with a bit of this mask belong to another set of numbers; null when there is none. */
  foreignBit: number | null;
  socket: number;
  clone: number;
  clone3: number;
  denied: readonly number[];
}

/**
 * What no program needs that computes something: keys, memory that no limit counts, namespaces, other processes, the
 * kernel itself. Each with its number for x64 and for arm64.
 */
const DENIED: readonly (readonly [name: string, x64: number, arm64: number | null])[] = [
  ["add_key", 248, 217],
  ["request_key", 249, 218],
  ["keyctl", 250, 219],
  ["memfd_create", 319, 279],
  ["memfd_secret", 447, 447],
  ["shmget", 29, 194],
  ["shmctl", 31, 195],
  ["shmat", 30, 196],
  ["shmdt", 67, 197],
  ["msgget", 68, 186],
  ["msgctl", 71, 187],
  ["msgrcv", 70, 188],
  ["msgsnd", 69, 189],
  ["semget", 64, 190],
  ["semctl", 66, 191],
  ["semtimedop", 220, 192],
  ["semop", 65, 193],
  ["mq_open", 240, 180],
  ["mq_unlink", 241, 181],
  ["unshare", 272, 97],
  ["setns", 308, 268],
  ["mount", 165, 40],
  ["umount2", 166, 39],
  ["pivot_root", 155, 41],
  ["chroot", 161, 51],
  ["open_tree", 428, 428],
  ["move_mount", 429, 429],
  ["fsopen", 430, 430],
  ["fsconfig", 431, 431],
  ["fsmount", 432, 432],
  ["fspick", 433, 433],
  ["mount_setattr", 442, 442],
  ["ptrace", 101, 117],
  ["process_vm_readv", 310, 270],
  ["process_vm_writev", 311, 271],
  ["process_madvise", 440, 440],
  ["kcmp", 312, 272],
  ["pidfd_getfd", 438, 438],
  ["bpf", 321, 280],
  ["perf_event_open", 298, 241],
  ["userfaultfd", 323, 282],
  ["io_uring_setup", 425, 425],
  ["io_uring_enter", 426, 426],
  ["io_uring_register", 427, 427],
  ["fanotify_init", 300, 262],
  ["name_to_handle_at", 303, 264],
  ["open_by_handle_at", 304, 265],
  ["kexec_load", 246, 104],
  ["kexec_file_load", 320, 294],
  ["init_module", 175, 105],
  ["finit_module", 313, 273],
  ["delete_module", 176, 106],
  ["swapon", 167, 224],
  ["swapoff", 168, 225],
  ["reboot", 169, 142],
  ["sethostname", 170, 161],
  ["setdomainname", 171, 162],
  ["acct", 163, 89],
  ["quotactl", 179, 60],
  ["quotactl_fd", 443, 443],
  ["syslog", 103, 116],
  ["lookup_dcookie", 212, 18],
  ["settimeofday", 164, 170],
  ["clock_settime", 227, 112],
  ["adjtimex", 159, 171],
  ["clock_adjtime", 305, 266],
  ["vhangup", 153, 58],
  ["nfsservctl", 180, 42],
  ["iopl", 172, null],
  ["ioperm", 173, null],
  ["modify_ldt", 154, null],
];

/** By the names that Node has for processors. */
export const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000_003e,
    foreignBit: 0x4000_0000,
    socket: 41,
    clone: 56,
    clone3: 435,
    denied: DENIED.map(([, number]) => number),
  },
  arm64: {
    audit: 0xc000_00b7,
    foreignBit: null,
    socket: 198,
    clone: 220,
    clone3: 435,
    denied: DENIED.flatMap(([, , number]) => (number === null ? [] : [number])),
  },
};
