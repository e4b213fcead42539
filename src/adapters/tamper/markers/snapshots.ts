import { lineCounter } from '../syntax/outline.ts'
import type { Sign } from './tampering.ts'
import { quote } from './tampering.ts'

const entryHead = /^exports\[`([^`]*)`\] = /gm

/** Recorded results that a new version of a snapshot file no longer holds as they were; new ones are welcome. */
export function changedSnapshots(path: string, before: string, after: string): readonly Sign[] {
  if (!/\.snap$/i.test(path)) {
    return holdsAllLines(before, after)
      ? []
      : [{ kind: 'snapshot_changed', line: null, what: 'a recorded result was changed' }]
  }
  const now = entriesOf(after)
  const lineOf = lineCounter(before)
  const changed = [...entriesOf(before)].filter(([name, { text }]) => now.get(name)?.text !== text)
  if (changed.length === 0 && now.size === 0 && before.trim() !== after.trim()) {
    return [{ kind: 'snapshot_changed', line: null, what: 'a recorded result was changed' }]
  }
  return changed.map(([name, { index }]) => ({
    kind: 'snapshot_changed',
    line: lineOf(index),
    what: `the recorded result “${quote(name)}” was ${now.has(name) ? 'changed' : 'removed'}`,
  }))
}

function entriesOf(source: string): Map<string, { readonly text: string; readonly index: number }> {
  const heads = [...source.matchAll(entryHead)]
  return new Map(
    heads.map((head, position) => {
      const end = heads[position + 1]?.index ?? source.length
      return [head[1] ?? '', { text: source.slice(head.index, end).trim(), index: head.index }]
    }),
  )
}

/** Whether the new text only adds lines to the old one. */
function holdsAllLines(before: string, after: string): boolean {
  const lines = after.split('\n')
  let at = 0
  return before.split('\n').every((line) => {
    while (at < lines.length && lines[at] !== line) at += 1
    at += 1
    return at <= lines.length
  })
}
