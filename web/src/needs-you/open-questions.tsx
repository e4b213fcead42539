import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { OpenQuestion } from '../../../src/model/api/fix.ts'
import { api } from '../api/client.ts'
import { QuestionForm } from '../fix/question-form.tsx'
import { Card } from '../ui/layout.tsx'
import { Problem } from '../ui/states.tsx'

interface Props {
  readonly sessionId: string
  readonly repositoryId: string
  readonly questions: readonly OpenQuestion[]
}

/** The questions of one session's fixer; the session goes on once all of them are answered. */
export function OpenQuestions({ sessionId, repositoryId, questions }: Props) {
  const answer = useMutation({
    mutationFn: (answers: Readonly<Record<string, string>>) =>
      api.answerQuestions(sessionId, {
        answers: Object.entries(answers).map(([question_id, text]) => ({ question_id, answer: text })),
      }),
  })
  return (
    <Card
      title="Questions of the fixer"
      note={
        <Link
          to="/r/$repositoryId/sessions/$sessionId"
          params={{ repositoryId, sessionId }}
          className="text-accent hover:underline"
        >
          Session
        </Link>
      }
    >
      <QuestionForm
        questions={questions}
        draftKey={`fixpoint.answers.${sessionId}`}
        isBusy={answer.isPending}
        onAnswer={(given) => answer.mutate(given)}
      />
      <Problem error={answer.error} />
    </Card>
  )
}
