import { touchedPaths } from '../../model/proof/patch.ts'
import type { SessionContext } from '../context/session-context.ts'
import { createTrainComposer, type Accepted } from './compose-train.ts'

type AheadContext = Pick<SessionContext, 'recorder' | 'ports' | 'verifier' | 'endNow'>

/** Runs the commands on the tree that the last of these trains would be landed as, if each of them were wholly good. */
export async function checkTogether(
  trains: readonly (readonly Accepted[])[],
  { recorder, ports, verifier, endNow }: AheadContext,
): Promise<void> {
  const { tip } = recorder.session()
  try {
    let { tree } = tip
    let last: readonly Accepted[] = []
    for (const train of trains) {
      const { wagons } = await createTrainComposer(tree, ports.composer)(train)
      tree = wagons.at(-1)?.tree ?? tree
      last = wagons.map(({ attempt }) => attempt)
    }
    const commands = verifier.commandsFor(last.flatMap(({ patch }) => touchedPaths(patch)))
    if (commands.length > 0) await verifier.run({ commit: tip.commit, tree }, commands, endNow)
  } catch {
    // Whatever it is, the train itself meets it when its turn comes, and says so.
  }
}
