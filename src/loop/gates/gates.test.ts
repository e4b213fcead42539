import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { gates } from './gates.ts'

const root = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

describe('the list of gates', () => {
  it('names each gate once, and each stands in a file of its own with its test', () => {
    const names = gates.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    const files = readdirSync(new URL('src/loop/gates', root))
    for (const name of names) expect(files).toEqual(expect.arrayContaining([`${name}.ts`, `${name}.test.ts`]))
  })

  it('is the table in the README, in order and in the same words', () => {
    const [, table = ''] = /\| gate .*\n\|[- |]+\n((?:\|.*\n)+)/.exec(read('README.md')) ?? []
    const rows = table
      .trim()
      .split('\n')
      .map((row) =>
        row
          .split('|')
          .map((cell) => cell.trim())
          .slice(1, 3),
      )
    expect(rows.slice(0, gates.length)).toEqual(gates.map(({ name, description }) => [name, description]))
    expect(rows.slice(gates.length).map(([name]) => name)).toEqual(['challenge', 'landing'])
  })

  it('is the only place that knows a gate by its name', () => {
    const named = sources('src').flatMap((path) =>
      gates.flatMap(({ name }) => {
        const isDefining = /^src\/(?:loop|model)\//.test(path) && read(path).includes(`name: '${name}'`)
        const isAsking = new RegExp(`\\b(?:gate|name) === '${name}'`).test(read(path))
        return isDefining || isAsking ? [`${path} ${name}`] : []
      }),
    )
    expect(named).toEqual(gates.map(({ name }) => `src/loop/gates/${name}.ts ${name}`).toSorted())
  })
})

/** Every source file below a folder, without tests. */
const sources = (folder: string): readonly string[] =>
  readdirSync(new URL(folder, root), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.includes('.test.'))
    .map((entry) => `${entry.parentPath.slice(root.pathname.length)}/${entry.name}`)
    .toSorted()
