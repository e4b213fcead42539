import { expect, it } from 'vitest'
import { patchFile } from '../../../test/fixtures/attempt-samples.ts'
import { memoryForge, pullOf } from '../../../test/fixtures/forge/memory-forge.ts'
import { CommitId } from '../../model/id.ts'
import type { BundleHeader } from '../ports.ts'
import { checkBundle, type BundlePorts } from './check-bundle.ts'

const [base, tip, told, noted, other] = [...'abcde'].map((letter) => CommitId.parse(letter.repeat(40))) as [
  CommitId,
  CommitId,
  CommitId,
  CommitId,
  CommitId,
]
const message = 'fix\n\nIssue: BE-001\nFingerprint: f\n'
const issue = {
  code: 'BE-001',
  title: 't',
  description: 'd',
  severity: 'minor',
  category: 'c',
  rule: null,
  file: 'a.js',
  line: 1,
  fingerprint: 'f',
  references: [],
  outcome: 'fixed',
  reason: null,
  changes: null,
  explanation: null,
  weak_excuse: null,
  commit_sha: tip as string,
  evidence: 'E1',
  score: null,
  rounds: 1,
  cost_usd: 0,
}
const delivery = {
  schema: 'fixpoint.bundle.v1',
  session_id: 'ses_1',
  branch: 'fix/a',
  base_branch: null,
  base_commit: base,
  tip_commit: tip,
  cost_usd: 0,
  issues: [issue],
}

interface Scene {
  readonly header: BundleHeader
  /** The files of each commit, which is its own tree here. */
  readonly files: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly parents: Readonly<Record<string, readonly CommitId[]>>
  readonly here: readonly string[]
  readonly remote: Readonly<Record<string, CommitId>>
  readonly ports: Partial<BundlePorts>
  readonly sizes: number | null
}
const scene: Scene = {
  header: {
    refs: new Map([
      ['refs/heads/fix/a', tip],
      ['refs/notes/fixpoint', noted],
      ['refs/fixpoint/delivery', told],
    ]),
    needs: [base],
  },
  files: {
    [base]: { 'a.js': 'a' },
    [tip]: { 'a.js': 'b' },
    [told]: { 'delivery.json': JSON.stringify(delivery) },
    [noted]: { [`bb/${tip.slice(2)}`]: '{}' },
  },
  parents: { [tip]: [base] },
  here: [base, tip, told, noted],
  remote: { 'refs/heads/main': base },
  ports: {},
  sizes: null,
}
const delivering = (given: object): Partial<Scene> => ({
  files: { ...scene.files, [told]: { 'delivery.json': JSON.stringify({ ...delivery, ...given }) } },
})

function check(given: Partial<Scene>, asked: string | null = null) {
  const { header, files, parents, here, remote, ports, sizes } = { ...scene, ...given }
  const known = new Set(here)
  const bytesOf = (tree: string) =>
    Object.entries(files[tree] ?? {}).map(([path, text]) => [path, new TextEncoder().encode(text)] as const)
  const all = {
    bundles: { header: () => header, unpack: async () => undefined },
    trees: {
      resolve: async (commit: string) => (known.has(commit) ? { commit, tree: commit } : null),
      sizes: async (tree: string) =>
        new Map(bytesOf(tree).map(([path, bytes]) => [path, sizes ?? bytes.length])),
      readMany: async (tree: string, paths: readonly string[]) =>
        new Map(bytesOf(tree).filter(([path]) => paths.includes(path))),
      readCommit: async (commit: string) => ({ parents: parents[commit] ?? [], message, note: null }),
      changes: async () => [patchFile('a.js')],
      isReached: async (commit: string, to: string) => commit === to,
    },
    branches: { check: async () => ({ state: 'free' }) },
    inspector: { findSecrets: async () => [] },
    remote: {
      tip: async (ref: string) => remote[ref] ?? null,
      fetch: async (ref: string) => {
        const found = remote[ref] ?? null
        if (found) known.add(found)
        return found
      },
    },
    forge: memoryForge().forge,
    hasSecret: async () => false,
    ...ports,
  } as unknown as BundlePorts
  return checkBundle(new Uint8Array(), { base: asked }, all)
}

it('a bundle that is what it says is taken, with its notes', async () => {
  expect(await check({})).toMatchObject({
    delivery: { branch: 'fix/a' },
    notes: [{ commit: tip, text: '{}' }],
  })
  expect(
    (
      await check({
        header: {
          ...scene.header,
          refs: new Map([...scene.header.refs].filter(([ref]) => !ref.includes('notes'))),
        },
      })
    ).notes,
  ).toEqual([])
})

it('what it builds on is fetched when it is not here, and the same branch may come again', async () => {
  expect(await check({ here: [tip, told, noted] })).toMatchObject({ delivery: { branch: 'fix/a' } })
  await check({ remote: { ...scene.remote, 'refs/heads/fix/a': tip } })
  const ours = pullOf({ body: '<!-- fixpoint:begin pull-request -->\n<!-- fixpoint:end -->' })
  await check({
    remote: { ...scene.remote, 'refs/heads/fix/a': other },
    ports: { forge: memoryForge({ pulls: [ours] }).forge },
  })
})

it.each<[string, Partial<Scene>, RegExp, string?]>([
  ['builds on nothing', { header: { ...scene.header, needs: [] } }, /exactly one commit/],
  [
    'builds on what the remote does not have',
    { here: [tip, told, noted], remote: {} },
    /which main does not have/,
  ],
  [
    'says nothing',
    { header: { ...scene.header, refs: new Map([['refs/heads/fix/a', tip]]) } },
    /does not say what it delivers/,
  ],
  ['says something that is no commit', { here: [base, tip, noted] }, /is no commit/],
  ['says too much', { sizes: 9e6 }, /has 9000000 bytes/],
  [
    'says what cannot be read',
    { files: { ...scene.files, [told]: { 'delivery.json': '{' } } },
    /cannot be read/,
  ],
  ['says a wrong base', delivering({ base_commit: other }), /another commit than it says/],
  ['says a wrong tip', delivering({ tip_commit: other }), /ends elsewhere/],
  ['brings another branch', delivering({ branch: 'fix/b' }), /no part of its session/],
  [
    'has a name that git refuses',
    { ports: { branches: { check: async () => ({ state: 'invalid', reason: 'odd name' }) } as never } },
    /odd name/,
  ],
  [
    'moves a branch of others',
    { remote: { ...scene.remote, 'refs/heads/fix/a': other } },
    /is there already/,
  ],
  ['is to be merged into nothing', {}, /no branch "next"/, 'next'],
  [
    'builds on another branch',
    { remote: { ...scene.remote, 'refs/heads/next': other } },
    /which next does not have/,
    'next',
  ],
  ['has a root of its own', { parents: {} }, /is a merge, or does not build/],
  ['has a merge', { parents: { [tip]: [base, other] } }, /is a merge/],
  ['has no end', { parents: { [tip]: [tip] } }, /more than 500 commits/],
  [
    'has no commits',
    {
      ...delivering({ tip_commit: base, issues: [] }),
      header: {
        ...scene.header,
        refs: new Map([
          ['refs/heads/fix/a', base],
          ['refs/fixpoint/delivery', told],
        ]),
      },
    },
    /no commits/,
  ],
  ['has a commit of nobody', delivering({ issues: [] }), /belongs to none/],
  [
    'lacks a commit',
    delivering({ issues: [issue, { ...issue, commit_sha: other }] }),
    /does not have eeeeeeeeeeee/,
  ],
  ['has a note on others', { files: { ...scene.files, [noted]: { [other]: '{}' } } }, /not its own/],
  [
    'has a note that is none',
    { files: { ...scene.files, [noted]: { [tip]: '"x"' } } },
    /note on .* cannot be read/,
  ],
  [
    'has a huge note',
    { files: { ...scene.files, [noted]: { [tip]: ' '.repeat(2 ** 20 + 1) } } },
    /note on .* has \d+ bytes/,
  ],
  [
    'adds a secret',
    { ports: { inspector: { findSecrets: async () => [{ path: 'a.js', line: 1, what: 'x' }] } } },
    /adds a secret to a\.js/,
  ],
  [
    'cannot be searched',
    { ports: { inspector: { findSecrets: async () => ({ unscanned: 'too big' }) } } },
    /too big/,
  ],
  [
    'has a secret in its message',
    { ports: { hasSecret: async (text) => text === message } },
    /message of .* holds a secret/,
  ],
  [
    'has a secret in its note',
    { ports: { hasSecret: async (text) => text === '{}' } },
    /note on .* holds a secret/,
  ],
])('a bundle that %s is refused', async (_what, given, why, asked) => {
  const fault: unknown = await check(given, asked ?? null).catch((error: unknown) => error)
  expect(fault).toMatchObject({ code: 'bundle_refused', message: expect.stringMatching(why) as string })
})
