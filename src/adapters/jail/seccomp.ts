/** A filter of system calls: what no build, test or agent needs, and what has let programs out of jails before. */

interface Machine {
  /** What the kernel calls this kind of machine. */
  readonly audit: number
  /** Calls that are refused as if the caller had no right to them. */
  readonly denied: readonly number[]
  /** Calls for which programs have another way: they are told that there is no such call. */
  readonly absent: readonly number[]
  readonly ioctl: number
  readonly socket: number
  /** Calls whose first argument may ask for a user namespace. */
  readonly namespaces: readonly number[]
}

const numbers = (text: string): readonly number[] => text.split(' ').map(Number)

/** The same number on every machine: the newer calls that mount or, as statmount and listmount, tell of mounts; pidfd_getfd. */
const newCalls = [428, 429, 430, 431, 432, 433, 438, 442, 457, 458, 467]
/** io_uring, which does its work out of sight of a filter, and clone3, whose flags a filter cannot see. */
const outOfSight = [425, 426, 427, 435]

const machines: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000003e,
    // pivot_root, _sysctl, chroot, acct, settimeofday, mount, umount2, swapon, swapoff, reboot, iopl, ioperm; modules; quotactl,
    // nfsservctl; lookup_dcookie; clock_settime; kexec_load; add_key, request_key, keyctl; perf_event_open; fanotify_init;
    // open_by_handle_at, clock_adjtime; setns; finit_module; kexec_file_load, bpf; userfaultfd; syslog, vhangup;
    // process_vm_readv, process_vm_writev
    denied: [
      ...numbers('155 156 161 163 164 165 166 167 168 169 172 173 174 175 176 177 178 179'),
      ...numbers('180 212 227 246 248 249 250 298 300 304 305 308 310 311 313 320 321 323 103 153'),
      ...newCalls,
    ],
    absent: outOfSight,
    ioctl: 16,
    socket: 41,
    namespaces: [56, 272],
  },
  arm64: {
    audit: 0xc00000b7,
    // The same calls, as far as there are such.
    denied: [
      ...numbers('41 51 89 170 40 39 224 225 142 105 106 60 42 18 112'),
      ...numbers('104 217 218 219 241 262 265 266 268 270 271 273 294 280 282 116 58'),
      ...newCalls,
    ],
    absent: outOfSight,
    ioctl: 29,
    socket: 198,
    namespaces: [220, 97],
  },
}

/** UNIX, INET, INET6, NETLINK; others, such as VSOCK, are not kept apart by a network namespace. */
const socketFamilies = [1, 2, 10, 16]
/** TIOCSTI and TIOCLINUX put words into a terminal as if somebody had typed them. */
const terminalTricks = [0x5412, 0x541c]
const newUserNamespace = 0x10000000
/** Calls of another kind of program on x64, which have numbers of their own. */
const firstForeignCall = 0x40000000

const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97
const allow = 0x7fff0000
const kill = 0x80000000
const errno = (number: number): number => 0x00050000 | number

const numberAt = 0
const auditAt = 4
const argumentAt = (index: number): number => 16 + 8 * index

type Line = readonly [code: number, ifTrue: number, ifFalse: number, value: number]

const load = (offset: number): Line => [0x20, 0, 0, offset]
const answer = (value: number): Line => [0x06, 0, 0, value]
/** The next line is left out unless it holds. */
const whenEqual = (value: number): Line => [0x15, 0, 1, value]
const unlessEqual = (value: number): Line => [0x15, 1, 0, value]
const whenAtLeast = (value: number): Line => [0x35, 0, 1, value]
const whenAnyBit = (value: number): Line => [0x45, 0, 1, value]

/** The lines for one call whose argument decides; all other calls go past them. */
const ofCall = (number: number, argument: number, lines: readonly Line[]): readonly Line[] => [
  load(numberAt),
  [0x15, 0, lines.length + 1, number],
  load(argumentAt(argument)),
  ...lines,
]

/** The filter in the form that the kernel takes; null for machines that it is not written for. */
export function seccompFilter(arch: string): Uint8Array | null {
  const machine = machines[arch]
  if (machine === undefined) return null
  const lines: readonly Line[] = [
    load(auditAt),
    unlessEqual(machine.audit),
    answer(kill),
    load(numberAt),
    whenAtLeast(firstForeignCall),
    answer(kill),
    ...machine.denied.flatMap((number) => [whenEqual(number), answer(errno(EPERM))]),
    ...machine.absent.flatMap((number) => [whenEqual(number), answer(errno(ENOSYS))]),
    ...ofCall(
      machine.ioctl,
      1,
      terminalTricks.flatMap((request) => [whenEqual(request), answer(errno(EPERM))]),
    ),
    ...machine.namespaces.flatMap((number) =>
      ofCall(number, 0, [whenAnyBit(newUserNamespace), answer(errno(EPERM))]),
    ),
    ...ofCall(machine.socket, 0, [
      ...socketFamilies.flatMap((family) => [whenEqual(family), answer(allow)]),
      answer(errno(EAFNOSUPPORT)),
    ]),
    answer(allow),
  ]
  return encode(lines)
}

let known: Uint8Array | null | undefined

/** The filter for the machine that this runs on, where one can be set. */
export function filterFor({ seccomp }: { readonly seccomp: boolean }): { readonly filter?: Uint8Array } {
  const filter = seccomp ? (known ??= seccompFilter(process.arch)) : null
  return filter === null ? {} : { filter }
}

function encode(lines: readonly Line[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(lines.length * 8))
  lines.forEach(([code, ifTrue, ifFalse, value], index) => {
    bytes.setUint16(index * 8, code, true)
    bytes.setUint8(index * 8 + 2, ifTrue)
    bytes.setUint8(index * 8 + 3, ifFalse)
    bytes.setUint32(index * 8 + 4, value, true)
  })
  return new Uint8Array(bytes.buffer)
}
