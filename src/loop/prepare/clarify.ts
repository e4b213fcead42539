import { readClarifierAnswer, type ClarifierAnswer } from '../../model/issue/questions.ts'
import { askBeforehand, type Asked, type Beforehand } from './ask-beforehand.ts'
import type { Ports } from '../ports.ts'

/** Lets the fixer read the issues and ask. A clarifier that cannot be read has failed, and nobody is "ready". */
export const askClarifier = (request: Beforehand, ports: Ports): Promise<Asked<ClarifierAnswer>> =>
  askBeforehand('clarifier', request, ports, (text) =>
    readClarifierAnswer(
      text,
      request.issues.map(({ code }) => code),
    ),
  )
