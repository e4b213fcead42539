import { useState, type SyntheticEvent } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextArea } from '../ui/field.tsx'
import { Problem } from '../ui/states.tsx'

interface Props {
  readonly code: string
  readonly isDispute: boolean
  readonly isBusy: boolean
  readonly error: unknown
  readonly onClose: () => void
  readonly onReject: (reason: string) => void
}

export function RejectDialog({ code, isDispute, isBusy, error, onClose, onReject }: Props) {
  const [reason, setReason] = useState('')
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    onReject(reason.trim())
  }
  return (
    <Dialog
      title={isDispute ? `${code} is no false positive` : `Reject the patch of ${code}`}
      onClose={onClose}
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <TextArea
          label="Why?"
          hint={`The fixer reads this before its next ${isDispute ? 'attempt' : 'round'}.`}
          required
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        <Problem error={error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" disabled={isBusy || reason.trim() === ''}>
            {isDispute ? 'Disagree' : 'Reject'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
