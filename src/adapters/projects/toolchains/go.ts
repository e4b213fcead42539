import { inFolder } from '../evidence/checkout.ts'
import { guessCommand, nothingFound, type Detect, type Toolchain } from '../evidence/detection.ts'
import { firstEvidence } from '../evidence/evidence.ts'

const golangci = ['.golangci.yml', '.golangci.yaml', '.golangci.toml', '.golangci.json']

/** Go modules: one, or those that a go.work names, which `./...` of the root would not reach. */
const detectGo: Detect = async (checkout, folder) => {
  const workPath = inFolder(folder, 'go.work')
  const work = await checkout.read(workPath)
  const modulePath = inFolder(folder, 'go.mod')
  const members = work === null ? [] : usedModules(work)
  if (members.length === 0 && !(await checkout.hasFile(modulePath))) return nothingFound
  const why = members.length > 0 ? workPath : modulePath
  const where = members.length > 0 ? members.map(patternOf).join(' ') : './...'
  const linter = await firstEvidence(
    checkout,
    folder,
    golangci.map((file) => [file, null]),
  )
  return {
    ...nothingFound,
    commands: [
      guessCommand('test', `go test ${where}`, why),
      guessCommand('vet', `go vet ${where}`, why),
      ...(linter ? [guessCommand('lint', `golangci-lint run ${where}`, linter)] : []),
    ],
    packages: members
      .filter((member) => member !== '.')
      .map((member) => ({ value: inFolder(folder, member), why: `use of ${workPath}` })),
  }
}

const patternOf = (member: string): string => (member === '.' ? './...' : `./${member}/...`)

/** The folders of `use` lines, alone or in brackets; what is outside of the checkout is left out. */
function usedModules(text: string): readonly string[] {
  const plain = text.replaceAll(/\/\/.*$/gm, '')
  const blocks = [...plain.matchAll(/^\s*use\s*\(([^)]*)\)/gm)].flatMap(([, inner = '']) => inner.split('\n'))
  const single = [...plain.matchAll(/^\s*use\s+([^(\s]\S*)/gm)].map(([, path = '']) => path)
  return [...blocks, ...single]
    .map((path) => path.trim().replaceAll('"', '').replace(/^\.\//, '').replace(/\/$/, ''))
    .filter((path) => /^[\w.@-]+(\/[\w.@-]+)*$/.test(path) && !path.split('/').includes('..'))
}

export const go: Toolchain = {
  name: 'go',
  manifest: /^go\.(mod|work)$/,
  lock: /^go\.sum$/,
  detect: detectGo,
}
