/** Characters that some file systems leave out when they compare names. */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** Whether a path stays inside the folder it is put in, and out of its `.git`, on any file system. */
export const isConfinedPath = (path: string): boolean =>
  path !== '' &&
  !path.includes('\0') &&
  path.split('/').every(isPlainName) &&
  !path.split(/[/\\]/).some(isDotGit)

const isPlainName = (name: string): boolean => name !== '' && name !== '.' && name !== '..'

/** Also `.GIT`, `.git. `, `git~1` and `.git:stream`, which are `.git` elsewhere. */
export function isDotGit(name: string): boolean {
  const folded = name.replace(ignored, '').toLowerCase()
  const plain = (folded.split(':', 1)[0] ?? '').replace(/[. ]+$/, '')
  return plain === '.git' || plain === 'git~1'
}
