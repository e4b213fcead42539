// Code points that HFS+ leaves out when it compares names.
const hfsIgnored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** Whether git, on any file system, could read a component of this path as `.git`. */
export function isDotGitPath(path: Buffer): boolean {
  // A backslash separates components where the tree is checked out on Windows.
  return path.toString('utf8').split(/[/\\]/).some(isDotGit)
}

function isDotGit(component: string): boolean {
  const folded = component.replace(hfsIgnored, '').toLowerCase()
  // NTFS drops trailing dots and spaces, and `name:stream` is the file `name`.
  const name = (folded.split(':', 1)[0] ?? '').replace(/[. ]+$/, '')
  return name === '.git' || name === 'git~1'
}
