import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ClarifyOutcome, ClarifyRequest } from '../../../src/model/api/fix.ts'
import { api } from '../api/client.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/layout.tsx'
import { Problem } from '../ui/states.tsx'
import { QuestionForm } from './question-form.tsx'
import { useDraft } from './use-draft.ts'

interface Props {
  readonly chosen: Pick<ClarifyRequest, 'repository_id' | 'issue_ids'>
  /** The name under which the questions and the typed answers survive a reload. */
  readonly draftKey: string
  /** Gets the id of the clarification, so that the session goes on with its answers. */
  readonly onAsking: (id: string) => void
}

/** Lets the fixer ask before it begins. A person may skip this without loss: open questions stay with their issues. */
export function ClarifyCard({ chosen, draftKey, onAsking }: Props) {
  const [{ outcome }, setKept] = useDraft<{ outcome: ClarifyOutcome | null }>(`${draftKey}.clarify`, {
    outcome: null,
  })
  const [isSkipped, setIsSkipped] = useState(false)
  const ask = useMutation({
    mutationFn: (answers: Readonly<Record<string, string>>) =>
      api.clarify({ ...chosen, answers, ...(outcome && { session_id: outcome.session_id }) }),
    onSuccess: (answered) => {
      setKept({ outcome: answered })
      onAsking(answered.session_id)
    },
  })
  const isOpen = outcome !== null && !outcome.ready_to_fix && !isSkipped
  return (
    <Card title="Questions" note="Optional">
      <div className="flex flex-col gap-3">
        {outcome === null && (
          <div className="flex flex-wrap items-center gap-3">
            <p className="mr-auto text-muted">The fixer may ask what is unclear before it begins.</p>
            <Button disabled={ask.isPending} onClick={() => ask.mutate({})}>
              {ask.isPending ? 'Asking…' : 'Ask the fixer'}
            </Button>
          </div>
        )}
        {outcome?.ready_to_fix && <Badge tone="ok">The fixer has no open question</Badge>}
        {isSkipped && <Badge tone="muted">Skipped: the fixer works with what it knows</Badge>}
        {isOpen && (
          <QuestionForm
            questions={outcome.questions}
            draftKey={`${draftKey}.answers`}
            isBusy={ask.isPending}
            onAnswer={(answers) => ask.mutate(answers)}
            onSkip={() => setIsSkipped(true)}
          />
        )}
        <Problem error={ask.error} />
      </div>
    </Card>
  )
}
