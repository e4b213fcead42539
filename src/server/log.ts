import pino from 'pino'
import { redactor } from '../app/redact/redact-exits.ts'

export type LogLevel = pino.LevelWithSilent
export type Log = Pick<pino.Logger, 'error' | 'warn' | 'info' | 'debug'>

/** One JSON object per line on stderr; fields that could hold a person's secrets are left out. */
export const createLog = (level: LogLevel): Log =>
  pino(
    {
      level,
      base: null,
      redact: ['token', 'authorization', 'cookie', '*.token', '*.authorization', '*.cookie'],
      hooks: { streamWrite: redactLine },
    },
    pino.destination({ dest: 2, sync: true }),
  )

function redactLine(line: string): string {
  const entry: unknown = JSON.parse(line)
  const redacted = redactor.value(entry)
  return redacted === entry ? line : `${JSON.stringify(redacted)}\n`
}

/** Logs an error with what it was about, which is a field where that is a session or a review. */
export const logErrorTo =
  (log: Pick<Log, 'error'>) =>
  (err: unknown, what: string): void => {
    if (what.startsWith('ses_')) log.error({ err, session_id: what }, 'working on a session')
    else if (what.startsWith('rev_')) log.error({ err, review_id: what }, 'working on a review')
    else log.error({ err }, what)
  }
