import { readdirSync, readlinkSync } from 'node:fs'

/** Whether a living process has its working directory in this folder; null where that cannot be found out. */
export function isInhabited(folder: string): boolean | null {
  try {
    return readdirSync('/proc').some((name) => /^\d+$/.test(name) && isBelow(workingFolderOf(name), folder))
  } catch {
    return null // a system without /proc
  }
}

/** Empty for a process that has ended or belongs to another user. */
function workingFolderOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)
