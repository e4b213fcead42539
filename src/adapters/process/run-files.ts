import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { processTable } from './process-table.ts'
import { createRunMark, isOwnerGone, parseRunMark, type RunOwner } from './run-mark.ts'

const NAMED = /-(\d+)-(\d+)-(\d*)-[0-9a-f]{12}(\.\w+)?$/

const folderOf = (home: string): string => join(home, 'tasks')

/** A new path for what one agent run needs on disk; its name tells whose it is, and is short: sockets may lie below. */
export function runFilePath(home: string, kind: string, extension = ''): string {
  const { pid, startTicks, pidNamespace } = thisProcess()
  const name = [kind, pid, startTicks, pidNamespace, randomBytes(6).toString('hex')].join('-')
  return join(folderOf(home), `${name}${extension}`)
}

/** Deletes what the runs of dead processes left; says what it deleted. */
export async function collectRunFiles(home: string): Promise<readonly string[]> {
  const { entries } = processTable.list()
  const { bootId } = thisProcess()
  const left = (await namesIn(folderOf(home))).filter((name) => {
    const [, pid, startTicks, pidNamespace = ''] = NAMED.exec(name) ?? []
    if (pid === undefined) return false
    // What another boot left names no process of this one.
    return isOwnerGone({ pid: Number(pid), startTicks: Number(startTicks), pidNamespace, bootId }, entries)
  })
  const paths = left.map((name) => join(folderOf(home), name))
  await Promise.all(paths.map((path) => rm(path, { recursive: true, force: true })))
  return paths
}

function thisProcess(): RunOwner {
  const mark = parseRunMark(createRunMark())
  if (!mark) throw new Error('a mark of this process cannot be read')
  return mark.owner
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
