import { answerQuestions } from '../../app/prepare/clarify-issues.ts'
import type { App } from '../../app/open-app.ts'
import type { Question } from '../../model/issue/questions.ts'
import { printable } from '../../client/printable.ts'

const ownWords = Symbol('own words')

/** Asks the person at the terminal and records each answer at once. False when one was left open. */
export async function askQuestions(app: App, questions: readonly Question[]): Promise<boolean> {
  for (const question of questions) {
    const answer = await askOne(question)
    if (answer === null) return false
    await answerQuestions(app, new Map([[question.id, answer]]))
  }
  return true
}

async function askOne({
  issue_code,
  question,
  context,
  options,
  assumption,
}: Question): Promise<string | null> {
  const { isCancel, select, text } = await import('@clack/prompts')
  const output = process.stderr
  const message = `${issue_code}: ${printable(question)}${context ? `\n${printable(context)}` : ''}`
  if (options.length > 0) {
    const chosen = await select<string | typeof ownWords>({
      message,
      options: [
        ...options.map((option) => ({ value: option, label: printable(option) })),
        { value: ownWords, label: 'Something else' },
      ],
      output,
    })
    if (isCancel(chosen)) return null
    if (typeof chosen === 'string') return chosen
  }
  const answer = await text({
    message: options.length > 0 ? 'In your own words:' : message,
    ...(assumption !== null && { placeholder: `without an answer: ${printable(assumption)}` }),
    output,
  })
  return isCancel(answer) || answer.trim() === '' ? null : answer
}

export const questionsText = (questions: readonly Question[]): string =>
  questions
    .map(({ id, question, context, options, assumption }) =>
      [
        `${id}  ${printable(question)}`,
        context && `  why: ${printable(context)}`,
        options.length > 0 && `  options: ${printable(options.join(' | '))}`,
        assumption && `  without an answer: ${printable(assumption)}`,
      ]
        .filter(Boolean)
        .join('\n'),
    )
    .join('\n')
