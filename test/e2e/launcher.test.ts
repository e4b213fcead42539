import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, test } from 'vitest'

const repository = join(import.meta.dirname, '../..')

const MAIN = `
const never = () => new Promise<never>(() => setInterval(() => undefined, 1000))
export async function main([verb = '', ...rest]: readonly string[]): Promise<number> {
  if (verb === 'about') {
    const { pid, version, env } = process
    console.log(JSON.stringify({ pid, version, rest, from: import.meta.url, mark: env.FIXPOINT_LAUNCHER ?? null }))
  }
  if (verb === 'open') for (const all of [import('../app/open-app.ts'), import('../app/build-ports.ts')]) await all
  if (verb === 'exit') return Number(rest[0])
  if (verb === 'echo') for await (const chunk of process.stdin) process.stdout.write(chunk)
  if (verb === 'die') { process.kill(process.pid, rest[0]); await never() }
  if (verb === 'hang') { console.log(process.pid); await never() }
  if (verb === 'forget') await new Promise(() => undefined)
  if (verb === 'crash') throw new Error('crashed on purpose')
  if (verb === 'warn') {
    process.emitWarning('SQLite is an experimental feature', 'ExperimentalWarning')
    process.emitWarning('Teleporting is an experimental feature', 'ExperimentalWarning')
  }
  if (verb === 'listen') {
    const seen: string[] = []
    for (const signal of ['SIGINT', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => console.log(seen[seen.push(signal) - 1]))
    const alive = setInterval(() => undefined, 1000)
    await new Promise((done) => { process.on('SIGTERM', () => setTimeout(done, 100)); console.log('ready') })
    clearInterval(alive)
    console.log(seen.join(' '))
  }
  return 0
}
`

const made: string[] = []
afterAll(() => made.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** A package of the same shape as this one; its command line shows the arguments that reached it. */
function makeProject(options: { readonly installed: boolean } = { installed: true }): string {
  const root = mkdtempSync(join(tmpdir(), 'fixpoint-launcher-'))
  made.push(root)
  for (const name of ['bin', 'scripts', 'package.json', 'tsconfig.json', 'tsconfig.build.json'])
    cpSync(join(repository, name), join(root, name), { recursive: true })
  if (options.installed) symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
  const entries = {
    'src/cli/main.ts': MAIN,
    'src/cli/quick/answer.ts': `export const answerQuickly = () => false\n`,
    'src/app/open-app.ts': `export const openApp = () => 42\n`,
    'src/app/build-ports.ts': `export const buildPorts = () => 42\n`,
    'src/index.ts': `export const answer = 42\n`,
    'src/model.ts': `export const noun = 'answer'\n`,
    'src/client/index.ts': `export const ask = () => 42\n`,
    'src/adapters/process/git-host.ts': `export const isHost = true\n`,
    'src/adapters/store/sqlite/sqlite-thread.ts': `export const isThread = true\n`,
  }
  for (const [name, text] of Object.entries(entries)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  return root
}

const bin = (root: string): string => join(root, 'bin/fixpoint.js')

const build = (root: string): void => {
  execFileSync(process.execPath, [join(root, 'scripts/build.ts'), '--if-stale'], { stdio: 'pipe' })
}

const run = (node: string, root: string, args: readonly string[], input = '') =>
  spawnSync(node, [bin(root), ...args], { encoding: 'utf8', input })

interface About {
  readonly pid: number
  readonly version: string
  readonly rest: readonly string[]
  readonly from: string
  readonly mark: string | null
}

const about = (node: string, root: string, ...rest: readonly string[]): About =>
  JSON.parse(run(node, root, ['about', ...rest]).stdout)

const majorOf = (node: string): number =>
  Number(execFileSync(node, ['-p', 'parseInt(process.versions.node)'], { encoding: 'utf8' }))

const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find(
  (node) => existsSync(node) && majorOf(node) < 22,
)
const nodes = oldNode ? [process.execPath, oldNode] : [process.execPath]

/** Starts the launcher as the leader of its own process group, and hands over its output line by line. */
function start(node: string, root: string, args: readonly string[]) {
  const child = spawn(node, [bin(root), ...args], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string | undefined> => (await lines.next()).value
  return { child, pid: child.pid ?? 0, nextLine }
}

const ended = async (child: ChildProcess): Promise<unknown[]> => once(child, 'close')

const project = makeProject()

describe.each(nodes)('the launcher on %s', (node) => {
  test('hands over arguments as they were written', () => {
    const rest = ['', 'two words', '--flag=ä', '$HOME', '--', '-x']
    expect(about(node, project, ...rest).rest).toEqual(rest)
  })

  test('ends with the exit code of the command line', () => {
    for (const code of [0, 1, 75, 130]) expect(run(node, project, ['exit', String(code)]).status).toBe(code)
  })

  test('ends by the signal that ended the command line', () => {
    for (const signal of ['SIGTERM', 'SIGKILL', 'SIGINT'])
      expect(run(node, project, ['die', signal])).toMatchObject({ status: null, signal })
  })

  test('passes stdin through to its end', () => {
    const input = 'line\n'.repeat(50_000)
    expect(run(node, project, ['echo'], input).stdout).toBe(input)
  })

  test('does not call a command line done that crashed or never answered', () => {
    expect(run(node, project, ['forget']).status).toBe(3)
    const crash = run(node, project, ['crash'])
    expect(crash.status).toBe(3)
    expect(crash.stderr).toContain('crashed on purpose')
  })

  test('hides the warnings about what it is built on, and no others', () => {
    const { stderr } = run(node, project, ['warn'])
    expect(stderr).toContain('Teleporting')
    expect(stderr).not.toContain('SQLite')
  })

  test.each(['SIGINT', 'SIGHUP', 'SIGQUIT'] as const)('delivers %s exactly once', async (signal) => {
    const toLauncher = start(node, project, ['listen'])
    expect(await toLauncher.nextLine()).toBe('ready')
    process.kill(toLauncher.pid, signal)
    expect(await toLauncher.nextLine()).toBe(signal)
    process.kill(toLauncher.pid, 'SIGTERM')
    expect(await toLauncher.nextLine()).toBe(signal)
    expect(await ended(toLauncher.child)).toEqual([0, null])
  })

  test('delivers what a terminal sends to the whole process group exactly once', async () => {
    const { child, pid, nextLine } = start(node, project, ['listen'])
    expect(await nextLine()).toBe('ready')
    for (const signal of ['SIGINT', 'SIGINT', 'SIGHUP'] as const) {
      process.kill(-pid, signal)
      expect(await nextLine()).toBe(signal)
    }
    process.kill(-pid, 'SIGTERM')
    expect(await nextLine()).toBe('SIGINT SIGINT SIGHUP')
    expect(await ended(child)).toEqual([0, null])
  })

  test('ends by a signal that the command line does not handle', async () => {
    const { child, pid, nextLine } = start(node, project, ['hang'])
    await nextLine()
    process.kill(pid, 'SIGTERM')
    expect(await ended(child)).toEqual([null, 'SIGTERM'])
  })

  test('leaves nothing running when it is killed outright', async () => {
    const { child, pid, nextLine } = start(node, project, ['hang'])
    await nextLine()
    process.kill(pid, 'SIGKILL')
    expect(await ended(child), 'stdout closes when its last holder is gone').toEqual([null, 'SIGKILL'])
  })
})

describe('a new enough Node', () => {
  test('runs the command line in the same process', async () => {
    const { pid, nextLine } = start(process.execPath, project, ['about'])
    expect(JSON.parse((await nextLine()) ?? '')).toMatchObject({ pid, version: process.version })
  })
})

describe.skipIf(!oldNode)('a Node that is too old', () => {
  const node = oldNode ?? ''

  test('starts the newer one that npm installed, and leaves no mark of it', () => {
    expect(about(node, project)).toMatchObject({ version: process.version, mark: null })
  })

  test('says what to install when there is no newer one', () => {
    const { status, stdout, stderr } = run(node, makeProject({ installed: false }), ['about'])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(/^fixpoint: Node 22\.13 or newer is needed, .*npm install node@26/)
  })
})

describe('the build', () => {
  const root = makeProject()
  const from = (): string => about(process.execPath, root).from.slice(`file://${root}/`.length)

  test('is run when it was made from the sources beside it', () => {
    expect(from()).toBe('src/cli/main.ts')
    build(root)
    expect(from()).toBe('dist/chunks/main-joined.js')
  })

  test('is not run once a source was touched, added or removed', () => {
    const added = join(root, 'src/added.ts')
    writeFileSync(added, '')
    expect(from()).toBe('src/cli/main.ts')
    rmSync(added)
    expect(from()).toBe('dist/chunks/main-joined.js')
    utimesSync(join(root, 'src/index.ts'), 1, 1)
    expect(from(), 'an older file in its place is a change too').toBe('src/cli/main.ts')
  })

  test('is run by an installed package, which has no sources', () => {
    build(root)
    rmSync(join(root, 'src'), { recursive: true })
    expect(from()).toBe('dist/chunks/main-joined.js')
  })

  test('is not run when it ended half way', () => {
    const half = makeProject()
    mkdirSync(join(half, 'dist/cli'), { recursive: true })
    writeFileSync(join(half, 'dist/cli/main.js'), 'export const main = () => 9')
    expect(run(process.execPath, half, ['exit', '0']).status).toBe(0)
  })
})
