import { inFolder, type CheckoutFiles } from '../evidence/checkout.ts'
import { guessCommand, nothingFound, type Detect, type Toolchain, type Guess } from '../evidence/detection.ts'
import { firstEvidence, workflowEvidence, type Evidence } from '../evidence/evidence.ts'
import { foldersMatching } from '../evidence/folder-globs.ts'

const clippy: readonly Evidence[] = [
  ['clippy.toml', null],
  ['.clippy.toml', null],
  ['Cargo.toml', /^\[(workspace\.)?lints\.clippy\]/m],
  ['rust-toolchain.toml', /\bclippy\b/],
]

/** A crate, or a workspace of crates. Clippy is an extra part of Rust: it is run where the project shows that it uses it. */
const detectRust: Detect = async (checkout, folder) => {
  const path = inFolder(folder, 'Cargo.toml')
  if (!(await checkout.hasFile(path))) return nothingFound
  const text = (await checkout.read(path)) ?? ''
  const isWorkspace = /^\[workspace\]/m.test(text)
  const all = isWorkspace ? ' --workspace' : ''
  const linted =
    (await firstEvidence(checkout, folder, clippy)) ?? (await workflowEvidence(checkout, /cargo clippy/))
  return {
    ...nothingFound,
    commands: [
      guessCommand('test', `cargo test${all}`, isWorkspace ? `[workspace] in ${path}` : path),
      ...(linted ? [guessCommand('lint', `cargo clippy${all} --all-targets`, linted)] : []),
    ],
    packages: isWorkspace ? members(checkout, folder, text) : [],
  }
}

function members(checkout: CheckoutFiles, folder: string, text: string): readonly Guess<string>[] {
  const inner = /^members\s*=\s*\[([^\]]*)\]/m.exec(text)?.[1] ?? ''
  const globs = [...inner.matchAll(/["']([^"']+)["']/g)].map(([, glob = '']) => glob)
  const why = `members of ${inFolder(folder, 'Cargo.toml')}`
  return foldersMatching(checkout, folder, { manifest: 'Cargo.toml', globs }).map(({ value }) => ({
    value,
    why,
  }))
}

export const rust: Toolchain = {
  name: 'rust',
  manifest: /^Cargo\.toml$/,
  lock: /^Cargo\.lock$/,
  detect: detectRust,
}
