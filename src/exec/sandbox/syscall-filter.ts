/** One BPF instruction. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;

/** Offsets of the call number, the architecture, and the lower half of the first argument. */
const CALL_OFFSET = 0;
const MACHINE_OFFSET = 4;
const FIRST_ARGUMENT_OFFSET = 16;

const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const toErrnoAction = (errno: number) => 0x0005_0000 + errno;
const EPERM = toErrnoAction(1);
const ENOSYS = toErrnoAction(38);
const EAFNOSUPPORT = toErrnoAction(97);

/** AF_UNIX, AF_INET, AF_INET6. */
const SOCKET_FAMILIES = [1, 2, 10];

/** AF_NETLINK, with which programs list their network interfaces. */
const AGENT_SOCKET_FAMILIES = [...SOCKET_FAMILIES, 16];

/** Code that is judged, or an agent, whose tools debug programs and share memory. */
export type FilterUse = "code" | "agent";
/** All CLONE_NEW… flags: a new user namespace would grant capabilities, and with them mounts. */
const NEW_NAMESPACE_FLAGS = 0x7e02_0000;

/**
 * Builds the seccomp filter for `bwrap`; null for an unsupported processor. It blocks what namespaces leave open: kernel
 * keyrings, memory that no limit counts, other socket families, and namespaces inside the sandbox.
 */
export function buildSyscallFilter(processor: string = process.arch, use: FilterUse = "code"): Buffer | null {
  const machine = MACHINES[processor];
  return machine === undefined ? null : assembleFilter(buildInstructions(machine, use));
}

function buildInstructions(
  { audit, foreignBit, socket, clone, clone3, denied, deniedToAgents }: Machine,
  use: FilterUse,
): Instruction[] {
  const families = use === "agent" ? AGENT_SOCKET_FAMILIES : SOCKET_FAMILIES;
  const refused = use === "agent" ? deniedToAgents : denied;
  return [
    [LOAD, 0, 0, MACHINE_OFFSET],
    [JUMP_IF_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, CALL_OFFSET],
    ...(foreignBit === null ? [] : buildConditionalReturn([JUMP_IF_ANY_BIT, 0, 1, foreignBit], ENOSYS)),
    ...buildConditionalReturn([JUMP_IF_EQUAL, 0, 1, clone3], ENOSYS),
    ...refused.flatMap((number) => buildConditionalReturn([JUMP_IF_EQUAL, 0, 1, number], EPERM)),
    ...buildCallRule(socket, [
      [LOAD, 0, 0, FIRST_ARGUMENT_OFFSET],
      ...families.flatMap((family) => buildConditionalReturn([JUMP_IF_EQUAL, 0, 1, family], ALLOW)),
      [RETURN, 0, 0, EAFNOSUPPORT],
    ]),
    ...buildCallRule(clone, [
      [LOAD, 0, 0, FIRST_ARGUMENT_OFFSET],
      ...buildConditionalReturn([JUMP_IF_ANY_BIT, 0, 1, NEW_NAMESPACE_FLAGS], EPERM),
    ]),
    [RETURN, 0, 0, ALLOW],
  ];
}

function buildConditionalReturn(condition: Instruction, answer: number): Instruction[] {
  return [condition, [RETURN, 0, 0, answer]];
}

function buildCallRule(number: number, steps: readonly Instruction[]): Instruction[] {
  return [[JUMP_IF_EQUAL, 0, steps.length, number], ...steps];
}

/** Both architectures are little-endian. */
function assembleFilter(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    const at = index * 8;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(ifTrue, at + 2);
    bytes.writeUInt8(ifFalse, at + 3);
    bytes.writeUInt32LE(value, at + 4);
  }
  return bytes;
}

export interface Machine {
  /** The kernel's audit id of the architecture. */
  audit: number;
  /** Calls with this bit use another call table; null for none. */
  foreignBit: number | null;
  socket: number;
  clone: number;
  clone3: number;
  denied: readonly number[];
  /** Without those that stay inside of the namespaces of a box, whose memory is counted. */
  deniedToAgents: readonly number[];
}

/**
 * Calls that no computing program needs: keys, memory that no limit counts, namespaces, other processes, the kernel. With
 * the call numbers for x64 and arm64.
 */
const DENIED_CALLS: readonly (readonly [name: string, x64: number, arm64: number | null])[] = [
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

/** Debuggers, databases and process pools need them. */
const ALLOWED_TO_AGENTS =
  /^(?:memfd_create|shm\w+|msg\w+|sem\w+|mq_\w+|ptrace|process_vm_\w+|process_madvise|kcmp|pidfd_getfd|modify_ldt)$/;

const DENIED_TO_AGENTS = DENIED_CALLS.filter(([name]) => !ALLOWED_TO_AGENTS.test(name));

/** By Node's processor names. */
export const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000_003e,
    foreignBit: 0x4000_0000,
    socket: 41,
    clone: 56,
    clone3: 435,
    denied: DENIED_CALLS.map(([, number]) => number),
    deniedToAgents: DENIED_TO_AGENTS.map(([, number]) => number),
  },
  arm64: {
    audit: 0xc000_00b7,
    foreignBit: null,
    socket: 198,
    clone: 220,
    clone3: 435,
    denied: DENIED_CALLS.flatMap(([, , number]) => (number === null ? [] : [number])),
    deniedToAgents: DENIED_TO_AGENTS.flatMap(([, , number]) => (number === null ? [] : [number])),
  },
};
