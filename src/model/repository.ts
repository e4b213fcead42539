import { z } from 'zod'
import { RepositoryId } from './id.ts'

/** A git repository that Fixpoint knows, found again by its key. */
export const Repository = z.object({
  id: RepositoryId,
  key: z.string(),
  /** Its checkout on this machine; of a repository by URL, the address. */
  path: z.string(),
  /** Where it is fetched from; null for one that is a folder of this machine. */
  url: z.string().nullable(),
  created_at: z.string(),
})
export type Repository = z.infer<typeof Repository>
