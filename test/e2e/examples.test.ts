import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { makeFolder } from '../fixtures/repositories.ts'

const root = join(import.meta.dirname, '../..')
const examples = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.ts'))

// Examples import the package by its name, as a stranger's program would: they run on the build.
beforeAll(() => execFileSync(process.execPath, [join(root, 'scripts/build.ts'), '--if-stale']))

it.each(examples)('%s runs', (name) => {
  const { env, dispose } = makeFolder()
  try {
    const output = execFileSync(process.execPath, [join(root, 'examples', name)], {
      cwd: root,
      env,
      encoding: 'utf8',
    })
    expect(output).toContain('fixed 1 of 1, evidence E2')
    expect(output).toContain('Number.isNaN(price)')
  } finally {
    dispose()
  }
})
