/** Fails when a file imports against the direction of the layers; prints where and which rule. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBreaches } from './check-layers-scan.ts'

const root = join(import.meta.dirname, '..')
const files = globSync(['src/**/*.{ts,tsx}', 'web/**/*.{ts,tsx}'], {
  cwd: root,
  exclude: ['**/*.test.{ts,tsx}', '**/node_modules/**', '**/dist/**'],
})

const breaches = files
  .map((file) => file.replaceAll('\\', '/'))
  .toSorted()
  .flatMap((file) => findBreaches(file, readFileSync(join(root, file), 'utf8')))

console.log([...breaches, `layers: ${files.length} files, ${breaches.length} forbidden imports`].join('\n'))
process.exitCode = breaches.length > 0 ? 1 : 0
