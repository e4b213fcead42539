import { useState, type ChangeEvent } from 'react'
import type { IssueChange } from '../../../src/model/api/issues.ts'
import { plural } from '../ui/format.ts'
import { FormDialog } from '../ui/dialog.tsx'
import { TextArea, TextField } from '../ui/field.tsx'

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

/** Asks for the details of a move: a reason, the other issue, or how it was done. */
export function ChangeDialog({ asked, count, isBusy, error, onClose, onChange }: Props) {
  const [text, setText] = useState('')
  const [until, setUntil] = useState('')
  const { title, label, hint, act } = words[asked]
  const Field = asked === 'duplicate' ? TextField : TextArea
  return (
    <FormDialog
      title={`${title}: ${plural(count, 'issue')}`}
      act={act}
      look="primary"
      isReady={!isBusy && text.trim() !== ''}
      error={error}
      onClose={onClose}
      onSubmit={() => onChange(changeOf(asked, text.trim(), until))}
    >
      <Field
        label={label}
        hint={hint}
        required
        value={text}
        onChange={({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => setText(target.value)}
      />
      {asked === 'ignored' && (
        <TextField
          label="Until (optional)"
          type="date"
          value={until}
          onChange={({ target }) => setUntil(target.value)}
        />
      )}
    </FormDialog>
  )
}
