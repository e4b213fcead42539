import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build as buildFor } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { makeFolder } from '../fixtures/repositories.ts'

const root = join(import.meta.dirname, '../..')
const build = (...args: readonly string[]): unknown =>
  execFileSync(process.execPath, [join(root, 'scripts/build.ts'), ...args])

// Examples import the package by its name, as a stranger's program would, so they run on the build.
beforeAll(() => build('--if-stale'))

const expected: Readonly<Record<string, readonly string[]>> = {
  'fix-with-rules.ts': ['fixed 1 of 1, evidence E2', 'Number.isNaN(price)'],
  'fix-with-own-agent.ts': ['fixed 1 of 1, evidence E1', '+export const total = (net, tax) => net + tax'],
}

it.each(readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.ts')))('%s runs', (name) => {
  const { env, dispose } = makeFolder()
  try {
    const output = execFileSync(process.execPath, [join(root, 'examples', name)], {
      cwd: root,
      env,
      encoding: 'utf8',
    })
    expect(expected[name]?.length).toBeGreaterThan(0)
    for (const text of expected[name] ?? []) expect(output).toContain(text)
  } finally {
    dispose()
  }
})

const consumer = `
import { openFixpoint, Fault, type Fixpoint, type OwnAgent, type SessionResult } from 'fixpoint'
import { FixEvent, Issue } from 'fixpoint/model'
import { createClient, type Client } from 'fixpoint/client'

export const agent: OwnAgent = { run: async ({ prompt, signal }) => ({ text: signal.aborted ? '' : prompt }) }
export const fixAll = (fixpoint: Fixpoint, signal: AbortSignal): Promise<SessionResult> =>
  fixpoint.fix({ all: true, severities: ['major'], signal })
export const codes = (issues: readonly Issue[]): string[] => issues.map((issue) => issue.code)
export const client: Client = createClient({ baseUrl: '', fetch: (url, init) => fetch(url, init), wait: async () => {} })

// @ts-expect-error there is no such setting
export const wrong = () => openFixpoint({ cwd: '.', config: { fix: { max_round: 1 } } })

const failed = await openFixpoint({ cwd: '/', home: process.argv[2] ?? '', agents: { agent } }).catch((error) => error)
console.log(failed instanceof Fault && failed.code)
console.log(Issue.safeParse({}).success, FixEvent.safeParse({}).success, typeof client.follow)
`

describe('the package', () => {
  const { folder, env, dispose } = makeFolder()
  const installed = join(folder, 'node_modules/fixpoint')
  afterAll(dispose)

  beforeAll(() => {
    build('--declarations')
    const npm = ['npm', 'pack', '--ignore-scripts', '--silent', '--pack-destination', folder]
    const packed = execFileSync('/usr/bin/env', npm, { cwd: root, encoding: 'utf8' }).trim()
    mkdirSync(installed, { recursive: true })
    execFileSync('tar', ['-xzf', join(folder, packed), '--strip-components=1', '-C', installed])
    // The packages that npm would install beside it, and those that the program is compiled with.
    const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>
    }
    const names = [...Object.keys(dependencies), '@types/node', 'typescript'].map(
      (name) => name.split('/')[0],
    )
    for (const name of new Set(names))
      symlinkSync(join(root, 'node_modules', name ?? ''), join(folder, 'node_modules', name ?? ''))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'consumer.ts'), consumer)
  })

  test('is typed and runs for a program that imports its entries', () => {
    const options = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2023']
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const args = [...options, '--skipLibCheck', 'false', '--types', 'node', '--noEmit', 'consumer.ts']
    expect(outputOf([tsc, ...args])).toBe('')
    expect(outputOf(['consumer.ts', join(folder, 'home')])).toBe('not_a_repository\nfalse false function\n')
  })

  test('has declarations that need nothing but zod, and offers nothing else', () => {
    for (const entry of ['index', 'model', 'client/index']) {
      const text = readFileSync(join(installed, `dist/${entry}.d.ts`), 'utf8')
      const imported = [...text.matchAll(/^import .* from "(.+)";$/gm)].map(([, name]) => name)
      expect(new Set(imported)).toEqual(new Set(['zod']))
    }
    const script = `import('fixpoint/dist/index.js').catch(({ code }) => console.log(code))`
    expect(outputOf(['-e', script])).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n')
  })

  test.each(['model', 'client/index'])('has a %s that a browser can load', async (entry) => {
    const entryPoints = [join(installed, `dist/${entry}.js`)]
    const built = await buildFor({ entryPoints, bundle: true, platform: 'browser', write: false })
    expect(built.errors).toEqual([])
  })

  const outputOf = (args: readonly string[]): string => {
    try {
      return execFileSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' })
    } catch (error) {
      return String((error as { readonly stdout?: unknown }).stdout) + String(error)
    }
  }
})
