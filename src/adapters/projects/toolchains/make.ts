import { inFolder, type CheckoutFiles } from '../evidence/checkout.ts'
import { guessCommand, nothingFound, type Detect, type DetectedTools } from '../evidence/detection.ts'

const makefiles = ['GNUmakefile', 'Makefile', 'makefile']
const builtTests = 'cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure'

/** The last resort where no toolchain has a command: what make or CMake know as tests. */
export const detectMake: Detect = async (checkout, folder) => {
  const root = await makefileIn(checkout, folder)
  const own = root && targetOf(root.text)
  if (root && own) return found(`make ${own}`, `target "${own}" of ${root.path}`)
  const lists = inFolder(folder, 'CMakeLists.txt')
  if (/^\s*(?:enable_testing\s*\(|include\s*\(\s*CTest\b)/im.test((await checkout.read(lists)) ?? ''))
    return found(builtTests, lists)
  const below = await makefileIn(checkout, inFolder(folder, 'src'))
  const target = below && targetOf(below.text)
  if (!below || !target) return nothingFound
  const isHandedDown = root !== null && /^\.DEFAULT\s*:/m.test(root.text)
  return found(
    isHandedDown ? `make ${target}` : `make -C src ${target}`,
    `target "${target}" of ${below.path}`,
  )
}

async function makefileIn(checkout: CheckoutFiles, folder: string) {
  for (const name of makefiles) {
    const path = inFolder(folder, name)
    const text = await checkout.read(path)
    if (text !== null) return { path, text }
  }
  return null
}

const targetOf = (makefile: string): string | undefined =>
  ['test', 'check'].find((name) => new RegExp(`^${name}\\s*:(?!=)`, 'm').test(makefile))

const found = (run: string, why: string): DetectedTools => ({
  ...nothingFound,
  commands: [guessCommand('test', run, why)],
})
