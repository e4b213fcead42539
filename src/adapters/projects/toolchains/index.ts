import { inFolder } from '../evidence/checkout.ts'
import { guessCommand, nothingFound, type Detect, type Toolchain } from '../evidence/detection.ts'
import { go } from './go.ts'
import { java } from './java.ts'
import { javascript } from './javascript/index.ts'
import { python } from './python.ts'
import { rust } from './rust.ts'

/** Every toolchain that is known. Commands stand in a configuration in this order. */
export const toolchains: readonly Toolchain[] = [javascript, python, go, rust, java]

/** The last resort where no toolchain has a command: the target `test` of a Makefile. */
export const detectMakefile: Detect = async (checkout, folder) => {
  const path = inFolder(folder, 'Makefile')
  const text = await checkout.read(path)
  if (!text || !/^test\s*:(?!=)/m.test(text)) return nothingFound
  return { ...nothingFound, commands: [guessCommand('test', 'make test', `target "test" of ${path}`)] }
}
