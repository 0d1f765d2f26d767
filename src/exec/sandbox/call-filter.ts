import { MACHINES, type Machine } from "./call-numbers.js";

/** One instruction of the kernel's filter machine: what to do, where to go on, and a number. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

/** Where the filter finds the number of a call, the machine, and the lower half of the first argument. */
const CALL = 0;
const MACHINE = 4;
const FIRST_ARGUMENT = 16;

const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const refuse = (errno: number) => 0x0005_0000 + errno;
const EPERM = refuse(1);
const ENOSYS = refuse(38);
const EAFNOSUPPORT = refuse(97);

/** AF_UNIX, AF_INET, AF_INET6. */
const SOCKET_FAMILIES = [1, 2, 10];
/** Every CLONE_NEW…: a new user namespace would bring capabilities, and with them mounts. */
const NEW_NAMESPACES = 0x7e02_0000;

/**
 * The filter of system calls for the boxes of this machine, as `bwrap` takes it; null for a processor whose numbers we
 * do not have. It closes what namespaces leave open: the kernel's keyrings, memory that no limit counts, sockets of
 * other families than the network's, and namespaces within the box.
 */
export function callFilter(processor: string = process.arch): Buffer | null {
  const machine = MACHINES[processor];
  return machine === undefined ? null : assembled(instructions(machine));
}

function instructions({ audit, foreignBit, socket, clone, clone3, denied }: Machine): Instruction[] {
  return [
    [LOAD, 0, 0, MACHINE],
    [IF_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, CALL],
    ...(foreignBit === null ? [] : onlyIf([IF_ANY_BIT, 0, 1, foreignBit], ENOSYS)),
    ...onlyIf([IF_EQUAL, 0, 1, clone3], ENOSYS),
    ...denied.flatMap((number) => onlyIf([IF_EQUAL, 0, 1, number], EPERM)),
    ...forCall(socket, [
      [LOAD, 0, 0, FIRST_ARGUMENT],
      ...SOCKET_FAMILIES.flatMap((family) => onlyIf([IF_EQUAL, 0, 1, family], ALLOW)),
      [RETURN, 0, 0, EAFNOSUPPORT],
    ]),
    ...forCall(clone, [[LOAD, 0, 0, FIRST_ARGUMENT], ...onlyIf([IF_ANY_BIT, 0, 1, NEW_NAMESPACES], EPERM)]),
    [RETURN, 0, 0, ALLOW],
  ];
}

function onlyIf(condition: Instruction, answer: number): Instruction[] {
  return [condition, [RETURN, 0, 0, answer]];
}

function forCall(number: number, steps: readonly Instruction[]): Instruction[] {
  return [[IF_EQUAL, 0, steps.length, number], ...steps];
}

/** Both machines are little-endian. */
function assembled(program: readonly Instruction[]): Buffer {
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
