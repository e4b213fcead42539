import type { AttemptAt } from '../../model/attempt/attempt.ts'
import type { TreeId } from '../../model/id.ts'
import type { Composer, Composition } from '../ports.ts'

export type Accepted = AttemptAt<'accepted'>

export interface Wagon {
  readonly attempt: Accepted
  /** The tree with this patch and all before it. */
  readonly tree: TreeId
}

export interface Composed {
  readonly wagons: readonly Wagon[]
  /** The patches that do not fit on the ones before them. */
  readonly conflicts: readonly Conflict[]
}

export interface Conflict {
  readonly attempt: Accepted
  readonly paths: readonly string[]
}

export type ComposeTrain = (train: readonly Accepted[]) => Promise<Composed>

/** Puts patches on top of each other in plan order, from `onto`; one that conflicts is left out. Nothing is merged twice. */
export function createTrainComposer(onto: TreeId, composer: Composer): ComposeTrain {
  const known = new Map<string, Promise<Composition>>()
  const compose = (tree: TreeId, { patch }: Accepted): Promise<Composition> => {
    const key = `${tree} ${patch.base_tree} ${patch.tree}`
    const composed = known.get(key) ?? composer.compose(tree, patch)
    known.set(key, composed)
    return composed
  }
  return async (train) => {
    const wagons: Wagon[] = []
    const conflicts: Conflict[] = []
    let tip = onto
    for (const attempt of train.toSorted((a, b) => a.position - b.position)) {
      const composition = await compose(tip, attempt)
      if ('conflicts' in composition) conflicts.push({ attempt, paths: composition.conflicts })
      else {
        tip = composition.tree
        wagons.push({ attempt, tree: tip })
      }
    }
    return { wagons, conflicts }
  }
}
