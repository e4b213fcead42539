import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { namedPrograms } from './named-programs.ts'

const home = realpathSync(mkdtempSync(join(tmpdir(), 'fixpoint-named-')))
afterAll(() => rmSync(home, { recursive: true }))
mkdirSync(join(home, 'tools'))
mkdirSync(join(home, '.ssh'))
for (const name of ['tools/agent.mjs', 'tools/run', '.ssh/run.sh', 'top.sh', 'tools/data.json'])
  writeFileSync(join(home, name), '')
chmodSync(join(home, 'tools/run'), 0o755)

const places = { hidden: [home], homes: [home], avoid: [home] }
const named = (program: string, ...args: string[]) =>
  namedPrograms({ program, args, cwd: '/', env: {} }, places)
const inShell = (line: string) => named('/bin/sh', '-c', line, 'sh')

test('a program of a command line comes with its folder, unless that is a home', () => {
  expect(inShell(`node ${home}/tools/agent.mjs --x`)).toEqual([join(home, 'tools')])
  expect(inShell('node ~/tools/agent.mjs')).toEqual([join(home, 'tools')])
  expect(inShell(`"${home}/tools/run" x`)).toEqual([join(home, 'tools')])
  expect(inShell(`sh ${home}/top.sh`)).toEqual([join(home, 'top.sh')])
  expect(named(join(home, 'tools/run'))).toEqual([join(home, 'tools')])
})

test('data, secrets, and paths that stand in other arguments, such as prompts, stay hidden', () => {
  expect(inShell(`tool ${home}/tools/data.json`)).toEqual([])
  expect(inShell(`sh ${home}/.ssh/run.sh`)).toEqual([])
  expect(named('/usr/bin/claude', '--agents', `read ${home}/tools/agent.mjs`)).toEqual([])
  expect(named('/bin/sh', '-c', 'my-agent', 'sh', `${home}/tools/agent.mjs`)).toEqual([])
})

test('a link to a program comes with what it leads to, and a package with those beside it', () => {
  mkdirSync(join(home, 'lib/node_modules/agent'), { recursive: true })
  mkdirSync(join(home, 'links'))
  writeFileSync(join(home, 'lib/node_modules/agent/cli.js'), '')
  symlinkSync('../lib/node_modules/agent/cli.js', join(home, 'links/agent'))
  expect(named(join(home, 'links/agent'))).toEqual([join(home, 'lib/node_modules')])
  chmodSync(join(home, 'lib/node_modules/agent/cli.js'), 0o755)
  expect(named(join(home, 'links/agent'))).toEqual([join(home, 'links'), join(home, 'lib/node_modules')])
})
