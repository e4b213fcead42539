import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openArtifacts } from '../../src/adapters/artifacts/index.ts'
import {
  createBranches,
  createParcels,
  createTrees,
  openRepository,
} from '../../src/adapters/workspaces/index.ts'
import { carryNotes } from '../../src/app/carry/carry-notes.ts'
import { bringSession, openCarrier } from '../../src/app/carry/carry-objects.ts'
import type { Attempt, Revision } from '../../src/model/attempt/attempt.ts'
import type { EvidenceNote } from '../../src/model/attempt/evidence-note.ts'
import { CommitId, SessionId, TreeId } from '../../src/model/id.ts'
import type { NamedObject } from '../../src/model/session/named-objects.ts'
import type { Session } from '../../src/model/session/session.ts'
import { sampleSession } from '../fixtures/store/samples.ts'
import { makeFolder, makeRepository } from '../fixtures/repositories.ts'

const sessionId = SessionId.parse('ses_carried')

/** Two machines: each has its own clone of the same commit, and its own owned git directory. */
async function openTwo() {
  const one = makeRepository({ 'a.txt': 'one\n', 'b.txt': 'same\n' })
  const other = makeFolder()
  const clone = join(other.folder, 'clone')
  one.git('clone', '-q', one.root, clone)
  const places = [
    { cwd: one.root, home: one.home, env: one.env },
    { cwd: clone, home: join(other.folder, 'home'), env: one.env },
  ]
  const [here, there] = await Promise.all(places.map((place) => openRepository(place)))
  if (!here || !there) throw new Error('two were opened')
  const dispose = (): void => {
    one.dispose()
    other.dispose()
  }
  return {
    here,
    there,
    since: CommitId.parse(one.git('rev-parse', 'HEAD')),
    env: one.env,
    folder: other.folder,
    dispose,
  }
}

let scene: Awaited<ReturnType<typeof openTwo>>
beforeEach(async () => {
  scene = await openTwo()
})
afterEach(() => scene.dispose())

async function changedTree(text: string): Promise<Extract<NamedObject, { kind: 'tree' }>> {
  const trees = createTrees(scene.here)
  const base = await trees.resolve(scene.since)
  const id = await trees.add(TreeId.parse(base?.tree), new Map([['a.txt', text]]))
  return { kind: 'tree', id, since: scene.since }
}

describe('what rows speak of', () => {
  it('reaches another machine as a bundle: the very tree, and the very commit', async () => {
    const tree = await changedTree('two\n')
    const trees = createTrees(scene.here)
    const author = { name: 'A', email: 'a@example.com' }
    const made = { tree: tree.id, parent: scene.since, message: 'm', author, date_ms: 0 }
    const commit = { kind: 'commit', id: await trees.commit(made), since: scene.since } as const
    const [from, to] = [createParcels(scene.here), createParcels(scene.there)]
    for (const object of [tree, commit]) {
      expect([await from.has(object), await to.has(object)]).toEqual([true, false])
      const bytes = await from.pack(object)
      expect(await from.pack(object)).toEqual(bytes)
      await to.unpack(object, bytes)
      expect(await to.has(object)).toBe(true)
    }
    const read = await createTrees(scene.there).readMany(tree.id, ['a.txt', 'b.txt'])
    expect([...read.values()].map((bytes) => Buffer.from(bytes).toString())).toEqual(['two\n', 'same\n'])
  })

  it('is refused on arrival when it is something else, damaged, or cut off', async () => {
    const [tree, other] = [await changedTree('two\n'), await changedTree('three\n')]
    const [from, to] = [createParcels(scene.here), createParcels(scene.there)]
    const bytes = await from.pack(tree)
    const damaged = Uint8Array.from(bytes)
    damaged[damaged.length - 30] = (damaged[damaged.length - 30] ?? 0) ^ 1
    const stranger = { ...tree, since: CommitId.parse('1'.repeat(40)) }
    await expect(to.unpack(stranger, bytes)).rejects.toMatchObject({ code: 'bundle_refused' })
    await expect(to.unpack(tree, damaged)).rejects.toMatchObject({ code: 'bundle_refused' })
    await expect(to.unpack(tree, bytes.subarray(0, -9))).rejects.toMatchObject({ code: 'bundle_refused' })
    expect(await to.has(tree)).toBe(false)
    await expect(to.unpack(other, bytes)).rejects.toMatchObject({ code: 'bundle_refused' })
    expect(await to.has(other)).toBe(false)
  })

  it('is kept among the artifacts before its row, and fetched by whoever lacks it', async () => {
    const tree = await changedTree('two\n')
    const trees = createTrees(scene.here)
    const author = { name: 'A', email: 'a@example.com' }
    const commit = await trees.commit({
      tree: tree.id,
      parent: scene.since,
      message: 'm',
      author,
      date_ms: 0,
    })
    const base = { commit: scene.since, tree: TreeId.parse((await trees.resolve(scene.since))?.tree) }
    const session = { ...sampleSession(sessionId, []), base, tip: { commit, tree: tree.id }, landing: null }
    const artifactsHome = join(scene.folder, 'shared')
    mkdirSync(artifactsHome)
    const place = { home: artifactsHome, env: scene.env, artifactsUrl: 'folder' }
    const here = openCarrier({ ...place, git: scene.here })
    const there = (): ReturnType<typeof openCarrier> => openCarrier({ ...place, git: scene.there })
    await expect(there().bring({ session, attempts: [] })).rejects.toMatchObject({ code: 'not_found' })
    await here.keep({ sessionId, session })
    const kept = await openArtifacts({ url: 'folder', ...place }).list(sessionId)
    expect(kept).toEqual([`objects/${commit}.bundle`])
    await there().bring({ session, attempts: [] })
    expect(await createTrees(scene.there).resolve(commit)).toEqual(session.tip)
    writeFileSync(join(artifactsHome, 'artifacts', sessionId, kept[0] ?? ''), 'no bundle')
    await there().bring({ session, attempts: [] })
  })

  it('comes with the notes on its commits to the next mirror, and something else is not taken for a note', async () => {
    const tree = await changedTree('two\n')
    const author = { name: 'A', email: 'a@example.com' }
    const made = { tree: tree.id, parent: scene.since, message: 'm', author, date_ms: 0 }
    const commit = await createTrees(scene.here).commit(made)
    const base = {
      commit: scene.since,
      tree: TreeId.parse((await createTrees(scene.here).resolve(scene.since))?.tree),
    }
    const session: Session = {
      ...sampleSession(sessionId, []),
      base,
      tip: { commit, tree: tree.id },
      landing: null,
      branch: 'fix/carried',
      branch_made: true,
    }
    const landed = {
      id: 'att_landed',
      stage: 'settled',
      outcome: 'fixed',
      commit_sha: commit,
    } as unknown as Attempt
    const artifactsHome = join(scene.folder, 'shared')
    mkdirSync(artifactsHome)
    const place = { home: artifactsHome, env: scene.env }
    const carrier = openCarrier({ ...place, artifactsUrl: 'folder', git: scene.here })
    await carrier.keep({ sessionId, session })
    const branches = carryNotes(createBranches(scene.here), openArtifacts({ url: 'folder', ...place }))
    await branches.move({ branch: 'fix/carried', from: null, to: commit, base: scene.since })
    const text = noteOf(commit, base, tree.id)
    await branches.note([{ commit, text }])
    const bring = () =>
      bringSession(
        {
          ...place,
          git: scene.there,
          store: { isOwnerAlive: () => true },
          loaded: { config: { artifacts: { url: 'folder', retention_ms: 0 } } },
          repository: { url: 'https://example.com/a.git' },
        },
        { session, attempts: [landed] },
      )
    const file = join(artifactsHome, 'artifacts', sessionId, `notes/${commit}.json`)
    writeFileSync(file, '{"schema":"another"}')
    await expect(bring()).rejects.toMatchObject({ code: 'bundle_refused' })
    writeFileSync(file, text)
    await bring()
    expect((await createTrees(scene.there).readCommit(commit)).note).toBe(text)
  })
})

const noteOf = (commit: CommitId, base: Revision, tree: TreeId): string =>
  `${JSON.stringify({
    schema: 'fixpoint.evidence.v1',
    issue_code: 'GEN-001',
    issue_id: 'iss_1',
    title: 'a is one',
    fingerprint: null,
    rule: null,
    flagged_by: [],
    file: 'a.txt',
    session_id: sessionId,
    base,
    evidence: 'E1',
    verified: { commit, tree },
    commands: [],
    gates: [],
    challenge: null,
    proof: null,
  } satisfies EvidenceNote)}\n`
