import { createRequire } from 'node:module'

/** The package's own version; sources and build both lie two folders below its package.json. */
export const version = (createRequire(import.meta.url)('../../package.json') as { readonly version: string })
  .version
