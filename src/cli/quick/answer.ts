import { fstatSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openQuickStore, type QuickStore } from '../../adapters/store/quick/read-quickly.ts'
import { findPlainClone } from '../../adapters/workspaces/refs/find-clone.ts'
import { openHome } from '../../app/home.ts'
import { createOutput, type Output, type Streams } from '../command/output.ts'
import { describeIssue, relatedTo } from '../text/describe-issue.ts'
import { describePage } from '../text/describe.ts'

/**
 * Answers the two questions that are asked most, `issues list` and `issues show CODE`, without loading anything else of
 * Fixpoint. False, with nothing written, when anything is out of the ordinary: the command itself then says it.
 */
export function answerQuickly(args: readonly string[]): boolean {
  const describe = questionIn(args)
  if (describe === null || process.env['FIXPOINT_DATABASE']) return false
  try {
    const output = createOutput('text', { stdout: standardOutput(), stderr: nowhere, env: process.env })
    const text = readAnswer(describe, output)
    if (text === null) return false
    output.print(text)
    return true
  } catch {
    return false
  }
}

type Describe = (store: QuickStore, output: Output) => string | null

/** Only these two, without any flag; everything else is for the whole command line. */
function questionIn([group, verb = 'list', code, ...others]: readonly string[]): Describe | null {
  if (group !== 'issues' || others.length > 0) return null
  if (verb === 'list' && code === undefined) return describeList
  return verb === 'show' && /^\w+-\w+$/.test(code ?? '') ? describeOne(code ?? '') : null
}

function readAnswer(describe: Describe, output: Output): string | null {
  const home = openHome(process.env)
  const repository = findPlainClone({ cwd: process.cwd(), home, env: process.env })
  if (repository === null) return null
  const store = openQuickStore(join(home, 'fixpoint.db'), repository)
  const text = store && describe(store, output)
  store?.close()
  return text
}

const pageLength = 50

const describeList: Describe = (store, output) => {
  const page = store.page(pageLength)
  const isPlain = page.issues.every(({ title }) => typeof title === 'string')
  return isPlain && page.issues.length > 0 ? describePage(page, { limit: `${pageLength}` }, output) : null
}

const describeOne =
  (code: string): Describe =>
  (store, output) => {
    const issue = store.byCode(code.toUpperCase())
    if (issue === null || typeof issue.title !== 'string') return null
    const related = new Map(relatedTo(issue).map((id) => [id as string, store.codeOf(id) ?? id]))
    return describeIssue({ issue, ledger: store.ledger(issue.id), related }, output)
  }

const nowhere: Streams['stderr'] = { isTTY: false, write: () => true }

/** Into files and pipes it is written directly: Node's stream takes a sixth of the whole start. */
function standardOutput(): Streams['stdout'] {
  const stdout = fstatSync(1)
  return stdout.isFile() || stdout.isFIFO() ? { isTTY: false, write: writeDirectly } : process.stdout
}

function writeDirectly(text: string): boolean {
  let bytes = Buffer.from(text)
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes))
    } catch (error) {
      // A reader that has seen enough is no fault; one that is slow gets the rest by and by.
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN')
        return process.stdout.write(bytes)
      return false
    }
  }
  return true
}
