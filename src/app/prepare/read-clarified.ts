import type { SessionId } from '../../model/id.ts'
import { Clarified } from '../../model/session/session.ts'
import type { App } from '../open-app.ts'

export const clarifiedRecord = 'clarified.json'

/** How far an asking has come, so that the fixer's conversation can go on from it. */
export async function readClarified(app: App, id: string): Promise<Clarified> {
  const text = await (await app.ports()).artifacts.read(id as SessionId, clarifiedRecord)
  const none: Clarified = { rounds: 0, ready: false, conversation: null }
  return text === null ? none : (Clarified.safeParse(JSON.parse(text)).data ?? none)
}
