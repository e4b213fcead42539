import { guessCommand, nothingFound, type Detect } from '../detection.ts'
import { inFolder } from '../checkout.ts'

/** The last resort: a Makefile with a target of that name. */
export const detectMakefile: Detect = async (checkout, folder) => {
  const path = inFolder(folder, 'Makefile')
  const text = await checkout.read(path)
  if (!text || !/^test\s*:(?!=)/m.test(text)) return nothingFound
  return { ...nothingFound, commands: [guessCommand('test', 'make test', `target "test" of ${path}`)] }
}
