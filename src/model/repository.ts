import { z } from 'zod'
import { RepositoryId } from './id.ts'

/** A git repository that Fixpoint knows, found again by its key. */
export const Repository = z.object({
  id: RepositoryId,
  key: z.string(),
  path: z.string(),
  created_at: z.string(),
})
export type Repository = z.infer<typeof Repository>
