/** What a person may say about a session before it starts; empty means that the configuration decides. */
export interface FixOptions {
  readonly notes: string
  readonly branch: string
  readonly useExisting: boolean
  readonly path: string
  readonly extraPaths: string
}

export const emptyOptions: FixOptions = {
  notes: '',
  branch: '',
  useExisting: false,
  path: '',
  extraPaths: '',
}

/** The part that the plan is made from, too. */
export function requestOf({ notes, path, extraPaths }: FixOptions) {
  const extra = extraPaths
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
  return {
    ...(notes.trim() !== '' && { user_notes: notes.trim() }),
    ...(path.trim() !== '' && { workspace_path: path.trim() }),
    ...(extra.length > 0 && { allowed_extra_paths: extra }),
  }
}
