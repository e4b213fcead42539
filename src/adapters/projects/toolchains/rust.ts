import { inFolder, type CheckoutFiles } from '../evidence/checkout.ts'
import { guessCommand, nothingFound, type Detect, type Toolchain, type Guess } from '../evidence/detection.ts'
import { firstEvidence, workflowEvidence, type Evidence } from '../evidence/evidence.ts'
import { listedMembers } from '../evidence/folder-globs.ts'

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
  const list = /^members\s*=\s*\[([^\]]*)\]/m.exec(text)?.[1] ?? ''
  return listedMembers(checkout, folder, { manifest: 'Cargo.toml', list })
}

export const rust: Toolchain = {
  name: 'rust',
  manifest: /^Cargo\.toml$/,
  lock: /^Cargo\.lock$/,
  detect: detectRust,
}
