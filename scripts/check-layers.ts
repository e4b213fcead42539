/**
 * Fails when a file imports against the direction of the layers, when folders import each other in a circle or hold too
 * many files, when two files export one name, and when a parameter is a bare boolean; prints where.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findTangles } from './check-folders.ts'
import { findBareBooleans, findCrowded, findDoubledNames } from './check-house.ts'
import { findBreaches, importedFiles } from './check-layers-scan.ts'

const root = join(import.meta.dirname, '..')
const files = globSync(['src/**/*.{ts,tsx}', 'web/**/*.{ts,tsx}'], {
  cwd: root,
  exclude: ['**/*.test.{ts,tsx}', 'web/test/**', '**/node_modules/**', '**/dist/**'],
})

const texts = new Map(
  files
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted()
    .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
)

const breaches = [
  ...[...texts].flatMap(([file, text]) => findBreaches(file, text)),
  ...findTangles(new Map([...texts].map(([file, text]) => [file, importedFiles(file, text)]))),
  ...findCrowded([...texts.keys()]),
  ...findDoubledNames(texts),
  ...findBareBooleans(texts),
]

console.log([...breaches, `layers: ${files.length} files, ${breaches.length} faults`].join('\n'))
process.exitCode = breaches.length > 0 ? 1 : 0
