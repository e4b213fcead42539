import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Question } from '../../../src/model/api/fix.ts'
import { api } from '../api.ts'
import { QuestionForm } from '../fix/question-form.tsx'
import { Card } from '../ui/layout.tsx'
import { Problem, Shown } from '../ui/states.tsx'

interface Props {
  readonly sessionId: string
  readonly repositoryId: string
}

/** What the fixer asked last in a session that waits for the answers. */
async function readQuestions(sessionId: string): Promise<readonly Question[]> {
  const { events } = await api.events(sessionId)
  const asked = events.findLast(({ type }) => type === 'fix_clarification_needed')
  return (asked?.details['questions'] as readonly Question[] | undefined) ?? []
}

export function OpenQuestions({ sessionId, repositoryId }: Props) {
  const query = useQuery({ queryKey: ['questions', sessionId], queryFn: () => readQuestions(sessionId) })
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
      <Shown query={query} rows={3}>
        {(questions) => (
          <QuestionForm questions={questions} isBusy={answer.isPending} onAnswer={(given) => answer.mutate(given)} />
        )}
      </Shown>
      <Problem error={answer.error} />
    </Card>
  )
}
