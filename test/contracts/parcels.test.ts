import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openArtifacts } from '../../src/adapters/artifacts/index.ts'
import { createParcels, createTrees, openRepository } from '../../src/adapters/workspaces/index.ts'
import { openCarrier } from '../../src/app/carry/carry-objects.ts'
import { CommitId, SessionId, TreeId } from '../../src/model/id.ts'
import type { NamedObject } from '../../src/model/session/named-objects.ts'
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
})
