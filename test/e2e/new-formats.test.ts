import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { exportFormats } from '../../src/adapters/exports/formats.ts'
import { reportFormats } from '../../src/adapters/findings/formats.ts'
import { configOf, createPlaces, envOf } from '../fixtures/command-line.ts'

const program = join(import.meta.dirname, '../fixtures/extended-lists/fixpoint.mjs')
const root = join(import.meta.dirname, '../..')
const places = createPlaces()
afterEach(() => places.disposeAll())

function openExtended() {
  const { repository } = places.open()
  const fixpoint = (...args: string[]) =>
    spawnSync(process.execPath, [program, ...args], {
      cwd: repository.root,
      env: envOf(repository),
      encoding: 'utf8',
    })
  const report = join(repository.folder, 'report.json')
  writeFileSync(report, '{"SHOUTS": ["MIND THE GAP", "STOP"]}')
  return { repository, fixpoint, report }
}

describe('a report format that only its list knows', () => {
  it('is recognised, read and taken by name', () => {
    const { fixpoint, report } = openExtended()
    expect(fixpoint('import', report).stdout).toContain('Read 2 findings (shouts).')
    expect(fixpoint('import', report, '--format', 'shouts').stdout).toContain('Read 2 findings (shouts).')
  })

  it('is named by the help, by the refusal of another name, and by what checks the configuration', () => {
    const { fixpoint, report, repository } = openExtended()
    expect(fixpoint('import', '--help').stdout).toMatch(/shouts +loud words, one per line/)
    expect(fixpoint('import', report, '--format', 'cries').stderr).toContain('shouts')
    expect(fixpoint('config', '--schema').stdout).toContain('"shouts"')
    const scanner = (format: string) =>
      `review: { scanners: [{ name: a, run: 'cat ${report}', format: ${format} }] }\n`
    writeFileSync(join(repository.root, 'fixpoint.yaml'), scanner('shout'))
    expect(fixpoint('config').stderr).toContain('did you mean shouts?')
    writeFileSync(join(repository.root, 'fixpoint.yaml'), scanner('shouts'))
    expect(fixpoint('config').status).toBe(0)
  })
})

describe('an export that only its list knows', () => {
  it('is written, and named by the help and by the refusal of another name', () => {
    const { fixpoint, report } = openExtended()
    fixpoint('import', report)
    const lines = fixpoint('export', 'whispers').stdout.trim().split('\n')
    expect(lines.toSorted()).toEqual(['mind the gap', 'stop'])
    expect(fixpoint('export', '--help').stdout).toMatch(/whispers +quiet words, one per line/)
    expect(fixpoint('export', 'cries').stderr).toContain('whispers')
  })
})

describe('a rule that only its list knows', () => {
  it('is found by a review, switched by the configuration, told by exports, documented, and fixed', () => {
    const { fixpoint, repository } = openExtended()
    repository.write({ 'src/loud.js': 'export const loud = () => hush(1)\n' })
    repository.commitAll('loud')
    const review = (levels: string) => {
      repository.write({ 'fixpoint.yaml': `${configOf()}review: { rules: ${levels} }\n` })
      return fixpoint('review', 'src/loud.js')
    }
    expect(review('{ js/no-hash: off }').stderr).toContain('names what is no rule: js/no-hash')
    expect(review('{ js/no-hush: info }').stderr).toContain('hush is called (js/no-hush)')
    expect(fixpoint('issues', 'list').stdout).toMatch(/info .*hush is called/)
    expect(fixpoint('export', 'sarif').stdout).toContain('A hush is never heard.')
    expect(spawnSync(process.execPath, [program, '--rules-page'], { encoding: 'utf8' }).stdout).toContain(
      '| `js/no-hush` |',
    )
    expect(fixpoint('fix', '--rule', 'js/no-hush', '--yes', '--branch', 'fix/loud').status).toBe(0)
    expect(repository.git('show', 'fix/loud:src/loud.js')).toBe('export const loud = () => shout(1)')
  })
})

describe('the name of a format', () => {
  const texts = globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] }).map((file) => ({
    file: file.replaceAll('\\', '/'),
    text: readFileSync(join(root, file), 'utf8'),
  }))
  const placesOf = (name: string) =>
    texts.filter(({ text }) => text.includes(`'${name}'`)).map(({ file }) => file)
  const isOwn = (name: string, file: string) =>
    ['findings', 'exports'].some(
      (folder) =>
        file === `src/adapters/${folder}/formats.ts` ||
        file.startsWith(`src/adapters/${folder}/${name}`) ||
        file.startsWith(`src/adapters/${folder}/${name.replace(/l$/, '')}/`),
    )

  // The names of the other formats are common words, so a search would find them elsewhere too.
  it.each(['sarif', 'rdjson', 'rdjsonl'])('stands in its own files and its lists only: %s', (name) => {
    expect([...reportFormats, ...exportFormats].map((format) => format.name)).toContain(name)
    expect(placesOf(name).filter((file) => !isOwn(name, file))).toEqual([])
  })
})

describe('the documentation of reports', () => {
  it('has a row for every format and every export, in the words of their lists', async () => {
    const page = readFileSync(join(root, 'docs/reports.md'), 'utf8').replaceAll(/ +\|/g, ' |')
    for (const { name, description } of reportFormats)
      expect(page).toContain(`| \`${name}\` | ${description} |`)
    for (const { name, description, load } of exportFormats)
      expect(page).toContain(`| \`${name}\` | ${description} | ${(await load()).suits.words} |`)
  })
})
