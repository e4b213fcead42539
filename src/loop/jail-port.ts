/** The port to what stands between the programs that are started and the machine. */
import type { TokenCounts } from '../model/agent/price.ts'

/** What jail there is, or why there is none, in words for people. */
export interface JailState {
  readonly isThere: boolean
  /** `jail: bubblewrap 0.8.0, …` or `no jail: …`. */
  readonly text: string
  /** The command that would make one possible; null when nothing is missing. */
  readonly remedy: string | null
}

/** A program that is about to be started, and the whole environment that it gets. */
export interface Start {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** The same program behind walls; it tells on a fourth pipe, in JSON, whether what is in there was really started. */
export interface EnclosedStart extends Start {
  readonly measured?: Measured
  /** What it reads from a fifth pipe before anything of it begins. */
  readonly filter?: Uint8Array
  /** Lets go of what was made for this run, once nothing of it is alive any more. */
  release(): Promise<void>
}

/** What is looked at from time to time while a program runs; too much of it ends the program. */
export interface Measured {
  /** Null where the kernel keeps these limits by itself. */
  readonly use: {
    readonly processes: number
    readonly memoryBytes: number
    /** Folders of its own, which are kept in memory. */
    readonly scratch: readonly string[]
  } | null
  /** What must stay free of the disk that it works on. */
  readonly disk: { readonly folder: string; readonly freeBytes: number; readonly freeFiles: number }
}

/** How one program is put behind walls. */
export interface Walls {
  enclose(start: Start): Promise<EnclosedStart>
}

/** What a program may use, besides the system, which it may read. */
export interface Room {
  /** Folders and files that it may change; what it works in is always among them. */
  readonly writable?: readonly (string | Kept)[]
  /** Folders outside of the system that begin empty and are gone with it. */
  readonly own?: readonly string[]
  /** Folders and files outside of the system that it may read; what is not there is passed over. */
  readonly readable?: readonly string[]
  /** `loopback`: nothing but itself; `open`: whatever this machine reaches; else what the gate lets through. */
  readonly network: 'loopback' | 'open' | HostsGate
  /** The person's settings of package managers, with what these log in with. */
  readonly hasPackageSettings?: boolean
  /** What it works in can be read only. */
  readonly isReadOnly?: boolean
  readonly unseen?: Unseen
}

/** What of the folder that it works in is not there for a program. */
export interface Unseen {
  /** What files and folders are called, at any depth. */
  readonly names: readonly string[]
  /** Paths from that folder that stay in sight, with the folders around them. */
  readonly except: readonly string[]
}

/** A folder that a program finds in another place than it is kept. */
export interface Kept {
  readonly from: string
  readonly at: string
}

/** The way of an agent to its model, and to nothing else. */
export interface HostsGate {
  /** Hosts of the model's vendor, which are never on a private network. */
  readonly hosts: readonly string[]
  /** Those of them that a program reaches by itself, since it has a login; with a key that stays outside there are none. */
  readonly loginHosts: readonly string[]
  /** `host` or `host:port` that the person allows, wherever that is. */
  readonly allowed: readonly string[]
  /** Keys that stay outside: a request to the model gets the real one on its way. */
  readonly keys: readonly ModelKey[]
  readonly onRefused: (host: string) => void
  /** What the answers to requests with such a key say they used, all of this run, by model. */
  readonly onUsage: (byModel: ReadonlyMap<string, TokenCounts>) => void
  /** Such a request was answered by a service that has too much to do, with this status. */
  readonly onBusy?: (status: number) => void
}

/** One variable that holds a key, and how a request carries it. */
export interface ModelKey {
  readonly variable: string
  /** The variable that names the service, where the program takes it from one. */
  readonly baseVariable: string | null
  /** The service when no variable names another. */
  readonly baseUrl: string
  /** The header that the key goes into; null for a variable of whole headers, one per line. */
  readonly header: string | null
  /** What stands before the key, such as `Bearer `. */
  readonly prefix?: string
}

/** The one jail of this process. */
export interface Jail {
  readonly state: JailState
  /** The walls of a room; null where there is no jail. */
  around(room: Room): Walls | null
}
