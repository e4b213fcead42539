import { expect, it } from 'vitest'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openWorker } from './open-worker.ts'

it('a worker whose artifacts have no address that can be read refuses to begin', async () => {
  const begun = openWorker({
    env: {
      FIXPOINT_HOME: join(tmpdir(), 'fixpoint-no-home'),
      FIXPOINT_DATABASE: 'postgres://nobody@127.0.0.1:1/none',
      FIXPOINT_ARTIFACTS_URL: 's3://team?endpont=https://127.0.0.1:1',
    },
    version: '0',
    concurrency: 1,
    onError: () => undefined,
    onEvent: () => undefined,
  })
  await expect(begun).rejects.toThrow('endpont is not known of a bucket')
})
