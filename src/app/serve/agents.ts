import { Role } from '../../model/agent.ts'
import type { RoleAgentView } from '../../model/api/system.ts'
import type { Config } from '../../model/config.ts'
import type { RoleAgentConfig } from '../../model/config-agents.ts'
import type { App } from '../open-app.ts'

/** The agents of every role as they are configured, and whether they can be used here. */
export async function describeAgents(app: App): Promise<readonly RoleAgentView[]> {
  const { agents } = await app.ports()
  return Role.options.flatMap((role) => {
    const reason = reasonOf(() => agents.forRole(role))
    return configuredFor(app.loaded.config, role).flatMap((config) =>
      [config, ...config.fallback].map(({ name, use, model, timeout_ms }, index) => ({
        role,
        name,
        use,
        model,
        timeout_ms,
        is_fallback: index > 0,
        available: reason === null,
        reason,
      })),
    )
  })
}

function configuredFor({ agents }: Config, role: Role): readonly RoleAgentConfig[] {
  return role === 'reviewer' ? agents.reviewers : [agents[role]]
}

function reasonOf(build: () => unknown): string | null {
  try {
    build()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
