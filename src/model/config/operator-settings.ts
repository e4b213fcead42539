import { z } from 'zod'
import { setting } from './setting.ts'
import { count, host, text } from './values.ts'

/** The settings of the operator who runs a server and its workers; no repository has a say in them. */
export const operatorSettings = {
  server: {
    allow_hosts: setting(z.array(host), {
      meaning:
        'Hosts of repositories by URL that may be at a private address or speak plain HTTP: `git.example.com`, `10.0.0.5:8080`.',
      otherwise: [],
      isPersonal: true,
    }),
    mirrors_gb: setting(count(1), {
      meaning:
        'How much disk the mirrors of repositories by URL may take; those that were used least lately go first.',
      otherwise: 20,
      isPersonal: true,
    }),
    trusted_proxy: {
      header: setting(text.regex(/^[A-Za-z][A-Za-z0-9-]*$/, { error: 'expected the name of a header' }), {
        meaning: 'The header in which a proxy that logs people in says who they are: the name of a token.',
        otherwise: 'X-Forwarded-Email',
        isPersonal: true,
      }),
      from: setting(z.array(text), {
        meaning:
          'The addresses or networks of that proxy; nobody else is believed, and without one nobody is.',
        otherwise: [],
        isPersonal: true,
      }),
    },
  },
  limits: {
    per_repository: setting(count(1), {
      meaning: 'Sessions of one repository that servers and workers drive at the same time, all together.',
      otherwise: 4,
      isPersonal: true,
    }),
    per_provider: setting(z.record(text, count(1)), {
      meaning:
        'Agents of one family that run at the same time, in all processes of one database: `{ claude: 8 }`.',
      otherwise: {},
      isPersonal: true,
    }),
    per_worker: setting(count(1), {
      meaning:
        'Sessions that one worker drives, and reviews it runs, at the same time, unless `--concurrency` says otherwise.',
      otherwise: 4,
      isPersonal: true,
    }),
  },
} as const
