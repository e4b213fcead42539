import { resolve } from 'node:path'
import { openArtifacts } from '../adapters/artifacts/index.ts'
import type { Variables } from '../adapters/process/clean-environment.ts'
import { ReviewId, SessionId } from '../model/id.ts'
import { loadConfig } from './config/load-config.ts'
import { openHome } from './home.ts'

export interface CopyArtifactsRequest {
  readonly env: Variables
  /** The home that has them in its folder. */
  readonly from: string
}

/**
 * Brings what another home keeps to where it is kept now, and says how much that was. What is there already stays, so a
 * copy that was interrupted is finished by another one.
 */
export async function copyArtifacts({ env, from }: CopyArtifactsRequest): Promise<number> {
  const home = openHome(env)
  const { url } = (await loadConfig({ repositoryRoot: null, env })).config.artifacts
  if (url === 'folder' && resolve(home) === resolve(from)) return 0
  const source = openArtifacts({ url: 'folder', home: from, env })
  const target = openArtifacts({ url, home, env })
  let count = 0
  for (const owner of await source.owners()) {
    const id = SessionId.or(ReviewId).safeParse(owner)
    if (!id.success) continue
    const known = new Set(await target.list(id.data))
    for (const name of (await source.list(id.data)).filter((one) => !known.has(one))) {
      const stream = await source.stream(owner, name)
      if (stream === null) continue
      await target.put(owner, name, await new Response(stream).bytes())
      count += 1
    }
  }
  return count
}
