import type { SyntheticEvent } from 'react'
import type { OpenQuestion } from '../../../src/model/api/fix.ts'
import { Button } from '../ui/button.tsx'
import { inputClass } from '../ui/field.tsx'
import { useDraft } from './use-draft.ts'
import { visible } from '../ui/visible.ts'

interface Props {
  readonly questions: readonly OpenQuestion[]
  /** The name under which the typed answers survive a reload. */
  readonly draftKey: string
  readonly isBusy: boolean
  readonly onAnswer: (answers: Readonly<Record<string, string>>) => void
  readonly onSkip?: () => void
}

/** Every open question with its options; a person may always type another answer. */
export function QuestionForm({ questions, draftKey, isBusy, onAnswer, onSkip }: Props) {
  const [answers, setAnswers] = useDraft<Readonly<Record<string, string>>>(draftKey, {})
  const given = Object.fromEntries(
    questions.flatMap(({ id }) => {
      const answer = answers[id]?.trim() ?? ''
      return answer === '' ? [] : [[id, answer]]
    }),
  )
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    onAnswer(given)
  }
  return (
    <form className="flex flex-col gap-5" onSubmit={submit}>
      {questions.map((question) => (
        <QuestionField
          key={question.id}
          question={question}
          value={answers[question.id] ?? ''}
          onChange={(answer) => setAnswers({ ...answers, [question.id]: answer })}
        />
      ))}
      <div className="flex gap-2">
        <Button
          type="submit"
          look="primary"
          disabled={isBusy || Object.keys(given).length < questions.length}
        >
          {isBusy ? 'Sending…' : 'Answer'}
        </Button>
        {onSkip && <Button onClick={onSkip}>Skip</Button>}
      </div>
    </form>
  )
}

interface FieldProps {
  readonly question: OpenQuestion
  readonly value: string
  readonly onChange: (answer: string) => void
}

function QuestionField({ question, value, onChange }: FieldProps) {
  const { id, issue_code: code, question: asked, context, options = [], assumption } = question
  const choices = [...new Set([...options, ...(assumption === null ? [] : [assumption])])]
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">
        <span className="mr-2 font-mono text-xs text-muted">{code}</span>
        {visible(asked)}
      </legend>
      {context !== null && <p className="text-muted">{visible(context)}</p>}
      {choices.map((choice) => (
        <label key={choice} className="flex items-center gap-2">
          <input
            type="radio"
            name={id}
            className="accent-solid"
            checked={value === choice}
            onChange={() => onChange(choice)}
          />
          <span className="wrap-anywhere">{visible(choice)}</span>{' '}
          {choice === assumption && <span className="text-xs text-muted">what the fixer would assume</span>}
        </label>
      ))}
      <input
        aria-label={`Answer to: ${asked}`}
        placeholder={choices.length > 0 ? 'Or in your own words' : 'Your answer'}
        className={inputClass}
        value={choices.includes(value) ? '' : value}
        onChange={({ target }) => onChange(target.value)}
      />
    </fieldset>
  )
}
