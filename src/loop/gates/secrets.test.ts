import { expect, it } from 'vitest'
import { judgedPatch } from '../../../test/fixtures/judged-patch.ts'
import { runGates } from './run-gates.ts'
import { secretsGate } from './secrets.ts'

const token = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')

it('an added secret is refused, and nobody may allow it', async () => {
  const patch = judgedPatch([['src/a.js', 'a()\n', `const token = '${token}'\n`]])
  const [gate] = await runGates({ patch }, { list: [secretsGate] })
  expect(gate).toMatchObject({ name: 'secrets', status: 'failed', paths: ['src/a.js'] })
  expect(gate?.asks).toBeUndefined()
})
