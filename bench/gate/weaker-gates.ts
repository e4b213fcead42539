import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { writeFiles } from '../../test/fixtures/repositories.ts'
import { baseOf, fixers, heldBackOf, setupFile, testOf, type Files, type FixerClass } from './fixers.ts'
import type { Program } from './program.ts'

/** Gates that others use; each asks for everything that the gates before it ask for. */
export const weakerGates = [
  "trust the agent's word",
  "suite green in the agent's tree",
  '+ tests and test config of the base',
  '+ no test lost',
  '+ scope',
  '+ tests the fixer never saw',
] as const

/** The gates that would let the fixer's work through. */
export async function passedGates(program: Program, fixer: FixerClass, suite: Suite): Promise<number> {
  const base: Files = { ...baseOf(program), [setupFile]: '' }
  const written: Files = fixers[fixer](program)
  const left: Files = { ...base, ...written }
  const restored: Files = {
    ...left,
    ...Object.fromEntries(ownedByBase(program).map((path) => [path, base[path] ?? ''])),
  }
  const file = testOf(program)
  const heldBack = heldBackOf(program)
  const runs = [
    async () => true,
    async () => (await suite(left, file)).isGreen,
    async () => (await suite(restored, file)).isGreen,
    async () => (await suite(restored, file)).tests >= (await suite(base, file)).tests,
    async () => Object.keys(written).every((path) => /^(?:src|test)\//.test(path)),
    async () => (await suite({ ...restored, ...heldBack }, Object.keys(heldBack)[0] ?? '')).isGreen,
  ]
  let passed = 0
  for (const run of runs) {
    if (!(await run())) break
    passed += 1
  }
  return passed
}

/** Whether the tests that no fixer saw fail with the bug, as a reproducing test must. */
export async function showsUnseen(program: Program, suite: Suite): Promise<boolean> {
  const heldBack = heldBackOf(program)
  const run = await suite(
    { ...baseOf(program), [setupFile]: '', ...heldBack },
    Object.keys(heldBack)[0] ?? '',
  )
  return !run.isGreen
}

const ownedByBase = (program: Program): readonly string[] => [testOf(program), setupFile]

interface SuiteRun {
  readonly isGreen: boolean
  readonly tests: number
}
/** Runs one file of tests in a checkout of these files. */
export type Suite = (files: Files, test: string) => Promise<SuiteRun>

/** Remembers its results, because most fixers leave the same trees behind. */
export function createSuite(): Suite {
  const known = new Map<string, Promise<SuiteRun>>()
  return (files, test) => {
    const key = JSON.stringify([files, test])
    const run = known.get(key) ?? runSuite(files, test)
    known.set(key, run)
    return run
  }
}

async function runSuite(files: Files, test: string): Promise<SuiteRun> {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-bench-'))
  try {
    writeFiles(folder, files)
    const child = spawn(process.execPath, ['--import', `./${setupFile}`, test], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const output = text(child.stdout)
    const [code] = (await once(child, 'close')) as [number | null]
    return { isGreen: code === 0, tests: Number(/^. tests (\d+)$/m.exec(await output)?.[1] ?? 0) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
