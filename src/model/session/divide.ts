/** An issue that an agent says it fixed, with the files that it names for it. */
export interface Claim {
  readonly code: string
  /** The finding's own file. */
  readonly file: string | null
  readonly reported: readonly string[]
}

/** Issues that share files, and so land or fall together; most often one issue alone. */
export interface Bundle {
  readonly codes: readonly string[]
  readonly files: readonly string[]
}

/** Divides the changed files of one patch among the issues that claim them. Every file and every issue is in exactly one bundle. */
export function divideFiles(changed: readonly string[], claims: readonly Claim[]): readonly Bundle[] {
  const owners = changed.map((path) => ({ path, codes: ownersOf(path, changed, claims) }))
  const groups: { codes: Set<string>; files: string[] }[] = claims.map(({ code }) => ({
    codes: new Set([code]),
    files: [],
  }))
  for (const { path, codes } of owners) {
    const touched = groups.filter((group) => codes.some((code) => group.codes.has(code)))
    const [first, ...others] = touched
    if (!first) continue
    first.files.push(path)
    for (const other of others) {
      other.codes.forEach((code) => first.codes.add(code))
      first.files.push(...other.files)
      groups.splice(groups.indexOf(other), 1)
    }
  }
  const order = claims.map(({ code }) => code)
  return groups.map(({ codes, files }) => ({
    codes: order.filter((code) => codes.has(code)),
    files: files.toSorted(),
  }))
}

function ownersOf(path: string, changed: readonly string[], claims: readonly Claim[]): readonly string[] {
  const claimants = claims.filter((claim) => claimedFiles(claim, changed).includes(path))
  if (claimants.length > 0) return claimants.map(({ code }) => code)
  const nearest = claims
    .map((claim) => ({ claim, near: nearness(path, claimedFiles(claim, changed)) }))
    .toSorted((a, b) => b.near - a.near)[0]
  return nearest ? [nearest.claim.code] : []
}

/** What the report names; where it names nothing that changed, the finding's own file. */
function claimedFiles({ file, reported }: Claim, changed: readonly string[]): readonly string[] {
  const named = reported.map((path) => path.replace(/^\.\//, '')).filter((path) => changed.includes(path))
  return named.length > 0 ? named : file === null ? [] : [file]
}

/** How many folders a path shares with the nearest of the files; -1 when there is no file to compare with. */
function nearness(path: string, files: readonly string[]): number {
  const parts = path.split('/')
  return Math.max(
    -1,
    ...files.map((file) => {
      const others = file.split('/')
      const differs = parts.findIndex((part, index) => part !== others[index])
      return differs < 0 ? parts.length : differs
    }),
  )
}
