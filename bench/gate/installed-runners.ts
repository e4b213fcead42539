import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'

const folder = join(tmpdir(), 'fixpoint-bench-runners')

/** Where the packages of the real runners are. */
export const installedRunners = join(folder, 'node_modules')

const dependencies = { jest: '30.5.2', mocha: '12.0.3', vitest: '3.2.7' }

/** Installs the real runners once for all runs of the bench, from the registry that npm is configured for. */
export function installRunners(): void {
  if (existsSync(join(installedRunners, '.bin', 'vitest'))) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock']
  const { status } = spawnSync('npm', words, { cwd: folder, stdio: 'inherit' })
  if (status !== 0) throw new Error(`npm could not install the runners into ${folder}`)
}
