import { describe, expect, it } from 'vitest'
import type { FileChange } from '../markers/tampering.ts'
import { whyPinned } from './why-pinned.ts'

const registry = 'https://registry.example/'
type Entry = readonly [version: string, needs?: readonly string[], more?: Readonly<Record<string, unknown>>]

const lockOf = (entries: Readonly<Record<string, Entry>>): string =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: {
      '': { name: 'sample' },
      ...Object.fromEntries(
        Object.entries(entries).map(([place, [version, needs = [], more = {}]]) => [
          place,
          {
            version,
            resolved: `${registry}${place}-${version}.tgz`,
            integrity: `sha512-${place}-${version}`,
            ...(needs.length > 0 && { dependencies: Object.fromEntries(needs.map((name) => [name, '*'])) }),
            ...more,
          },
        ]),
      ),
    },
  })

const before: Readonly<Record<string, Entry>> = {
  'node_modules/mkdirp': ['0.5.1', ['minimist']],
  'node_modules/minimist': ['1.2.0'],
  'node_modules/tape': ['5.0.0', ['minimist', 'glob']],
  'node_modules/glob': ['7.0.0'],
  'node_modules/runner': ['3.0.0'],
}
const change = (path: string, old: string | null, now: string | null): FileChange => ({
  path,
  oldPath: null,
  status: 'modified',
  before: old,
  after: now,
  isBinary: false,
})
const why = (
  after: Readonly<Record<string, Entry>>,
  { title = 'minimist: prototype pollution', file = 'package-lock.json', others = [] as FileChange[] } = {},
): string | null => {
  const lock = change('package-lock.json', lockOf(before), lockOf({ ...before, ...after }))
  return whyPinned(lock, [lock, ...others], { findingFile: file, findingTitle: title })
}
const manifest = (now: object, old: object = { dependencies: { mkdirp: '^0.5.0' } }): FileChange =>
  change('package.json', JSON.stringify(old), JSON.stringify(now))

const update: Readonly<Record<string, Entry>> = { 'node_modules/minimist': ['1.2.6'] }

describe('a lock file needs nobody’s word', () => {
  it.each<[string, Parameters<typeof why>]>([
    ['when only the package changes that the finding names', [update]],
    ['when what brings it changes too', [{ ...update, 'node_modules/mkdirp': ['0.5.6', ['minimist']] }]],
    [
      'when the update needs a package that was not there',
      [{ 'node_modules/minimist': ['1.2.6', ['fresh']], 'node_modules/fresh': ['1.0.0'] }],
    ],
    [
      'when the manifest asks for the version',
      [
        { ...update, 'node_modules/mkdirp': ['1.0.0', ['minimist']] },
        { file: 'package.json', others: [manifest({ dependencies: { mkdirp: '^1.0.0' } })] },
      ],
    ],
    [
      'when the finding names no package, and the manifest asks for one',
      [
        { 'node_modules/mkdirp': ['1.0.0', ['minimist']] },
        {
          title: 'CVE-1',
          file: 'package.json',
          others: [manifest({ dependencies: { mkdirp: '^1.0.0' } })],
        },
      ],
    ],
  ])('%s', (_when, given) => {
    expect(why(...given)).toBeNull()
  })
})

describe('a lock file is for a person', () => {
  const elsewhere = { resolved: 'https://elsewhere.example/minimist.tgz' }
  it.each<[string, Parameters<typeof why>, string]>([
    ['when the finding is in code', [update, { file: 'src/a.js' }], 'it pins dependencies'],
    ['when the finding is in code of a package below', [update, { file: 'packages/a/index.js' }], 'pins'],
    ['when another package changes', [{ ...update, 'node_modules/runner': ['9.0.0'] }], 'runner'],
    [
      'when the new text says that the update needs another package',
      [{ 'node_modules/minimist': ['1.2.6', ['runner']], 'node_modules/runner': ['9.0.0'] }],
      'runner',
    ],
    [
      'when a known package gets a second place',
      [
        {
          'node_modules/minimist': ['1.2.6', ['runner']],
          'packages/a/node_modules/runner': ['9.0.0'],
        },
      ],
      'runner',
    ],
    ['when it comes from elsewhere', [{ 'node_modules/minimist': ['1.2.6', [], elsewhere] }], 'elsewhere'],
    [
      'when the same version has another content',
      [{ 'node_modules/minimist': ['1.2.0', [], { integrity: 'sha512-other' }] }],
      'content',
    ],
    ['when a package goes back', [{ 'node_modules/minimist': ['1.1.9'] }], 'older'],
    [
      'when it is a folder of the repository now',
      [{ 'node_modules/minimist': ['1.2.6', [], { resolved: undefined, link: true }] }],
      'elsewhere',
    ],
    [
      'when the manifest asks for something else too',
      [update, { others: [manifest({ dependencies: { mkdirp: '^0.5.0', runner: '^9.0.0' } })] }],
      'runner',
    ],
    [
      'when the manifest asks for a folder',
      [update, { others: [manifest({ dependencies: { mkdirp: 'file:./mine' } })] }],
      'a manifest is changed',
    ],
    [
      'when the manifest says anything else',
      [update, { others: [manifest({ dependencies: { mkdirp: '^0.5.0' }, main: 'x.js' })] }],
      'a manifest is changed',
    ],
  ])('%s', (_when, given, said) => {
    expect(why(...given)).toContain(said)
  })

  it.each(['yarn.lock', 'package-lock.json'])('when nobody can read it: %s', (path) => {
    const lock = change(path, 'minimist@^1:\n', 'minimist@^2:\n')
    expect(whyPinned(lock, [lock], { findingFile: 'package.json', findingTitle: 'minimist' })).toContain(
      'nobody here can tell',
    )
  })
})

it('Cargo.lock is read too', () => {
  const block = (name: string, version: string, needs = ''): string =>
    `[[package]]\nname = "${name}"\nversion = "${version}"\nsource = "registry+https://index.example"\nchecksum = "${name}${version}"\n${needs}\n`
  const lock = (smallvec: string, other: string): string =>
    `version = 3\n\n${block('smallvec', smallvec)}${block('other', other)}`
  const judge = (after: string): string | null => {
    const own = change('Cargo.lock', lock('1.6.0', '1.0.0'), after)
    const file = change(
      'Cargo.toml',
      '[dependencies]\nsmallvec = "1.6.0"\n',
      '[dependencies]\nsmallvec = "1.6.1"\n',
    )
    return whyPinned(own, [own, file], { findingFile: 'Cargo.toml', findingTitle: 'smallvec: overflow' })
  }
  expect(judge(lock('1.6.1', '1.0.0'))).toBeNull()
  expect(judge(lock('1.6.1', '1.1.0'))).toContain('other')
})

describe('requirements of pip', () => {
  const was = '# what it needs\nrequests[socks]==2.0.0 ; python_version > "3"\nflask>=1.0,<2\n'
  const judge = (after: string, file = 'requirements.txt'): string | null => {
    const own = change('requirements.txt', was, after)
    return whyPinned(own, [own], { findingFile: file, findingTitle: 'flask 1.0: open redirect' })
  }

  it.each(['flask>=2.0,<3', 'flask==2.3.3 --hash=sha256:1 \\\n --hash=sha256:2', 'flask==2.3  # CVE-1'])(
    'may ask for another version of what the finding names: %s',
    (line) => {
      expect(judge(was.replace('flask>=1.0,<2', line))).toBeNull()
    },
  )

  it.each([
    ['helper==1.0', 'helper'],
    ['--extra-index-url https://elsewhere.example/simple', '--extra-index-url'],
    ['-r more.txt', '-r more.txt'],
    ['-e ./tools', '-e ./tools'],
    ['https://elsewhere.example/flask.tgz', 'elsewhere.example'],
  ])('are for a person when they bring more: %s', (line, said) => {
    expect(judge(`${was.replace('1.0,<2', '2.0')}${line}\n`)).toContain(said)
  })

  it.each([
    'flask @ https://elsewhere.example/flask.tgz',
    'flask==0.9',
    'flask==0.9 ; python_version > "3"',
    'flask @ file:./mine',
  ])('are for a person when what the finding names comes from elsewhere, or goes back: %s', (line) => {
    expect(judge(was.replace('flask>=1.0,<2', line))).not.toBeNull()
  })

  it('are for a person when the finding is in code', () => {
    expect(judge(was.replace('1.0', '2.0'), 'pkg/a.py')).toContain('it pins dependencies')
  })
})
