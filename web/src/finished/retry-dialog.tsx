import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { RetryRequest } from '../../../src/model/api/fix.ts'
import type { SessionDetail } from '../../../src/model/api/sessions.ts'
import { agentsQuery } from '../api/queries.ts'
import { FormDialog } from '../ui/dialog.tsx'
import { SelectField, TextArea, TextField } from '../ui/field.tsx'

interface Props {
  readonly session: SessionDetail
  readonly isBusy: boolean
  readonly error: unknown
  readonly onClose: () => void
  readonly onRetry: (request: RetryRequest) => void
}

/** Asks what should be different this time: another agent, more rounds, or a note for the fixer. */
export function RetryDialog({ session, isBusy, error, onClose, onRetry }: Props) {
  const { data } = useQuery(agentsQuery(session.repository_id))
  const [fixer, setFixer] = useState('')
  const [rounds, setRounds] = useState(String(session.options.policy.max_rounds))
  const [notes, setNotes] = useState(session.options.notes ?? '')
  const usable = (data?.agents ?? []).filter(({ hint }) => hint === null).map(({ name }) => name)
  const names = [...new Set([session.options.fixer, ...usable])]
  return (
    <FormDialog
      title="Try again what did not land"
      act="Retry"
      look="primary"
      isReady={!isBusy && /^\d{1,2}$/.test(rounds)}
      error={error}
      onClose={onClose}
      onSubmit={() =>
        onRetry({
          max_rounds: Number(rounds),
          ...(fixer !== '' && fixer !== session.options.fixer && { fixer }),
          ...(notes.trim() !== '' && { user_notes: notes.trim() }),
        })
      }
    >
      <SelectField
        label="Who fixes"
        value={fixer === '' ? session.options.fixer : fixer}
        onChange={({ target }) => setFixer(target.value)}
      >
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </SelectField>
      <TextField
        label="Rounds at most"
        inputMode="numeric"
        value={rounds}
        onChange={({ target }) => setRounds(target.value)}
      />
      <TextArea
        label="Notes for the fixer"
        hint="It also reads why it was refused before."
        value={notes}
        onChange={({ target }) => setNotes(target.value)}
      />
    </FormDialog>
  )
}
