import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createJail } from '../src/adapters/jail/index.ts'
import { probeBubblewrap } from '../src/adapters/jail/probe.ts'
import { runProcess } from '../src/adapters/process/run-process.ts'
import type { Room, Walls } from '../src/loop/ports.ts'
import type { Figure } from './figure.ts'
import { runSleepingSession } from './sleeping-session.ts'
import { median } from './statistics.ts'

export const title =
  'What the jail adds to the start of a check, of an agent with its way to the proxy, and to a session of 64 issues'

/** `starts` takes seconds, `session` seven minutes. */
export const parts = ['starts', 'session']

const RUNS = 40

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function timed(cwd: string, walls: Walls | null): Promise<number> {
  const startedAt = performance.now()
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' }
  const result = await runProcess({ command: '/bin/true', cwd, env, timeoutMs: 10_000, walls })
  if (result.exitCode !== 0) throw new Error(`it did not run: ${result.error ?? ''}`)
  return performance.now() - startedAt
}

const PAIRS = 5
/** These agents work for a short time: the jail weighs more in a shorter run. */
const session = { issues: 64, concurrency: 8, sleepSeconds: 5 }

/** How many times as long a session takes with a jail: the median over pairs that ran one after the other. */
async function measureSessions(): Promise<number> {
  const ratios: number[] = []
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const bare = await runSleepingSession({ ...session, sandbox: 'off' })
    const jailed = await runSleepingSession({ ...session, sandbox: 'required' })
    ratios.push(jailed.sessionMs / bare.sessionMs)
    console.log(`  pair ${pair + 1}: ${bare.sessionMs} ms without, ${jailed.sessionMs} ms with the jail`)
  }
  return median(ratios)
}

/** Measures both ways in turn, so that other work of the machine slows both of them. */
async function measure(cwd: string, walls: Walls | null): Promise<number> {
  const bare: number[] = []
  const jailed: number[] = []
  for (let round = 0; round < RUNS; round += 1) {
    bare.push(await timed(cwd, null))
    jailed.push(await timed(cwd, walls))
  }
  return median(jailed) - median(bare)
}

export async function run(part?: string): Promise<readonly Figure[]> {
  return [
    ...(part === 'session' ? [] : await measureStarts()),
    ...(part === 'starts'
      ? []
      : [{ name: 'a session of 64 issues', value: await measureSessions(), limit: 1.05, unit: '× without' }]),
  ]
}

async function measureStarts(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-bench-'))
  const [home, root] = [join(folder, 'home'), join(folder, 'checkout')]
  const workspace = join(home, 'workspaces/one/tree')
  for (const path of [root, workspace]) mkdirSync(path, { recursive: true })
  try {
    const probe = await probeBubblewrap({ platform: process.platform, isProgram, readSetting: () => '' })
    if (!probe.found) throw new Error(`there is no jail here: ${probe.why}`)
    const jail = createJail({
      mode: 'required',
      probe,
      home,
      root,
      userHome: process.env['HOME'],
      objectDirs: [],
    })
    const gate: Room['network'] = {
      hosts: ['api.example.com'],
      loginHosts: ['api.example.com'],
      allowed: [],
      keys: [],
      onRefused: () => undefined,
      onUsage: () => undefined,
    }
    const figureOf = async (name: string, network: Room['network'], limit: number): Promise<Figure> => ({
      name,
      value: await measure(workspace, jail.around({ network })),
      limit,
      unit: 'ms',
    })
    return [
      await figureOf('start of a check', 'loopback', 25),
      await figureOf('start of an agent', gate, 100),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
