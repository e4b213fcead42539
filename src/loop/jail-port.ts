/** The port to what stands between the programs that are started and the machine. */

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
  /** What must be measured, where the kernel does not keep the limits by itself. */
  readonly measured?: { readonly processes: number; readonly memoryBytes: number }
  /** Lets go of what was made for this run, once nothing of it is alive any more. */
  release(): Promise<void>
}

/** How one program is put behind walls. */
export interface Walls {
  enclose(start: Start): Promise<EnclosedStart>
}

/** What a program may use, besides the system, which it may read. */
export interface Room {
  /** Folders and files that it may change; what it works in is always among them. */
  readonly writable?: readonly string[]
  /** Folders and files outside of the system that it may read; what is not there is passed over. */
  readonly readable?: readonly string[]
  /** `loopback`: nothing but itself; `open`: whatever this machine reaches; `hosts`: what the gate lets through. */
  readonly network: 'loopback' | 'open' | HostsGate
  /** The person's settings of package managers, with what these log in with. */
  readonly hasPackageSettings?: boolean
  /** What it works in can be read only. */
  readonly isReadOnly?: boolean
}

/** The way of an agent to its model, and to nothing else. */
export interface HostsGate {
  /** Where the model is; requests to it are told apart from all others, and get the real keys. */
  readonly model: ModelService | null
  /** `host` or `host:port`, which may be reached besides. */
  readonly hosts: readonly string[]
  readonly onRefused: (host: string) => void
}

/** A model's service, as a request to it is completed outside of the jail. */
export interface ModelService {
  /** `https://api.example.com/v1` */
  readonly baseUrl: string
  /** Headers that are put in place of those of the same name. */
  readonly headers: Readonly<Record<string, string>>
}

/** The one jail of this process. */
export interface Jail {
  readonly state: JailState
  /** The walls of a room; null where there is no jail. */
  around(room: Room): Walls | null
}
