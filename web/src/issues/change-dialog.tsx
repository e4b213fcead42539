import { useState, type SyntheticEvent } from 'react'
import type { IssueChange } from '../../../src/model/api/issues.ts'
import { plural } from '../ui/format.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
import { Problem } from '../ui/states.tsx'

export type Asked = 'ignored' | 'duplicate' | 'resolved'

interface Props {
  readonly asked: Asked
  readonly count: number
  readonly isBusy: boolean
  readonly error: unknown
  readonly onClose: () => void
  readonly onChange: (change: IssueChange) => void
}

const words: Readonly<Record<Asked, { title: string; label: string; hint: string; act: string }>> = {
  ignored: {
    title: 'Ignore',
    label: 'Why?',
    hint: 'Kept with the issue. It stays ignored when it is found again.',
    act: 'Ignore',
  },
  duplicate: {
    title: 'Mark as duplicate',
    label: 'The issue that it is the same as',
    hint: 'A code such as BE-001.',
    act: 'Mark as duplicate',
  },
  resolved: {
    title: 'Resolve by hand',
    label: 'How was it resolved?',
    hint: 'Counts as resolved by a person, without evidence.',
    act: 'Resolve',
  },
}

function changeOf(asked: Asked, text: string, until: string): IssueChange {
  if (asked === 'ignored') return { status: asked, reason: text, ...(until !== '' && { until }) }
  if (asked === 'duplicate') return { status: asked, duplicate_of: text }
  return { status: asked, resolution_note: text }
}

/** Asks for what a move needs: a reason, the other issue, or how it was done. */
export function ChangeDialog({ asked, count, isBusy, error, onClose, onChange }: Props) {
  const [text, setText] = useState('')
  const [until, setUntil] = useState('')
  const { title, label, hint, act } = words[asked]
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    onChange(changeOf(asked, text.trim(), until))
  }
  return (
    <Dialog title={`${title}: ${plural(count, 'issue')}`} onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        {asked === 'duplicate' ? (
          <TextField
            label={label}
            hint={hint}
            required
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        ) : (
          <TextArea
            label={label}
            hint={hint}
            required
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
        {asked === 'ignored' && (
          <TextField
            label="Until (optional)"
            type="date"
            value={until}
            onChange={({ target }) => setUntil(target.value)}
          />
        )}
        <Problem error={error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={isBusy || text.trim() === ''}>
            {act}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
