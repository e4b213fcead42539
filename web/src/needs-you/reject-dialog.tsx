import { useState } from 'react'
import { FormDialog } from '../ui/dialog.tsx'
import { TextArea } from '../ui/field.tsx'

interface Props {
  readonly code: string
  readonly isDispute: boolean
  readonly isBusy: boolean
  readonly error: unknown
  readonly onClose: () => void
  readonly onReject: (reason: string) => void
}

/** Asks why a patch is sent back, or why a finding is no false positive. */
export function RejectDialog({ code, isDispute, isBusy, error, onClose, onReject }: Props) {
  const [reason, setReason] = useState('')
  return (
    <FormDialog
      title={isDispute ? `${code} is no false positive` : `Reject the patch of ${code}`}
      act={isDispute ? 'Disagree' : 'Reject'}
      look="danger"
      isReady={!isBusy && reason.trim() !== ''}
      error={error}
      onClose={onClose}
      onSubmit={() => onReject(reason.trim())}
    >
      <TextArea
        label="Why?"
        hint={`The fixer reads this before its next ${isDispute ? 'attempt' : 'round'}.`}
        required
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
    </FormDialog>
  )
}
