import { refuseFlaws } from './tamper.ts'
import type { GateDefinition } from './gate-definition.ts'

export const secretsGate: GateDefinition = {
  name: 'secrets',
  description: 'is no key, token or password added, plain, split or encoded?',
  asks: null,
  needs: 'patch',
  async judge({ changes, ports }) {
    const secrets = await ports.inspector.findSecrets(changes)
    return 'unscanned' in secrets
      ? { status: 'not_evaluated', reason: secrets.unscanned }
      : refuseFlaws(secrets, 'no secret is added')
  },
}
