import type {
  PermissionOption,
  PermissionOptionKind,
  RequestPermissionOutcome,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk'
import type { Access } from '../../../model/agent/agent.ts'

/** The paths that a tool call says it is about. */
export const placesOf = ({ locations, content }: ToolCallUpdate): readonly string[] => [
  ...(locations ?? []).map(({ path }) => path),
  ...(content ?? []).flatMap((part) => (part.type === 'diff' ? [part.path] : [])),
]

/**
 * Whether a role may do what an agent asks for. Reading and changing files need places, all of them in the workspace. A
 * role that writes may run commands: the checks run in the same place. No role may use the network or change the mode.
 */
export function isAllowed(
  access: Access,
  kind: ToolCallUpdate['kind'],
  { places, areInside }: { readonly places: number; readonly areInside: boolean },
): boolean {
  switch (kind) {
    case 'think':
      return true
    case 'search':
      return areInside
    case 'read':
      return places > 0 && areInside
    case 'edit':
    case 'delete':
    case 'move':
      return access === 'write' && places > 0 && areInside
    case 'execute':
      return access === 'write'
    case 'fetch':
    case 'switch_mode':
    case 'other':
    case null:
    case undefined:
      return false
    default:
      return false // a kind of a later version of the protocol
  }
}

const allowing: readonly PermissionOptionKind[] = ['allow_once']
const rejecting: readonly PermissionOptionKind[] = ['reject_once', 'reject_always']

/** The answer by the kind of the options; nothing is ever allowed for longer than once. */
export function choosePermission(
  options: readonly PermissionOption[],
  answer: 'allow' | 'reject',
): RequestPermissionOutcome {
  for (const kind of answer === 'allow' ? [...allowing, ...rejecting] : rejecting) {
    const option = options.find((offered) => offered.kind === kind)
    if (option) return { outcome: 'selected', optionId: option.optionId }
  }
  return { outcome: 'cancelled' }
}
