import { expect, it } from 'vitest'
import { parseTarget } from '../../src/adapters/jail/gate/hosts.ts'
import { namedPrograms } from '../../src/adapters/jail/named-programs.ts'
import { withoutSuppressions } from '../../src/adapters/agents/rules/suppressions.ts'
import { readSaid } from '../../src/adapters/agents/command/parse.ts'
import { retryUpdates } from '../../src/adapters/agents/acp/ending.ts'
import { scanText } from '../../src/adapters/secrets/scan-text.ts'
import { oneLine, printable } from '../../src/client/printable.ts'
import { foldSpace, foldWords } from '../../src/loop/triage/matching/words.ts'
import { inline, shortenTicks } from '../../src/loop/own-text.ts'
import { readFixerReport } from '../../src/model/agent/report.ts'
import { replaceOwnPart } from '../../src/model/forge/own-part.ts'
import { cleanText, firstSentence } from '../../src/model/issue/finding-text.ts'
import { codeFence, inlineCode, plainLine, plainText } from '../../src/model/markdown-text.ts'
import { pathKind } from '../../src/model/path-kind.ts'
import { readVerdict } from '../../src/model/proof/challenge.ts'
import { countsOfSummary } from '../../src/model/proof/unread-summary.ts'
import { processorMs } from '../fixtures/processor-time.ts'

/** Every function that reads text of a report, a repository or an agent. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  cleanText,
  firstSentence,
  plainText,
  plainLine,
  inlineCode,
  codeFence,
  printable,
  oneLine,
  inline,
  shortenTicks,
  foldWords,
  foldSpace,
  pathKind,
  readFixerReport: (text) => readFixerReport(text, ['BE-001']),
  readVerdict: (text) => readVerdict(text, 'BE-001'),
  countsOfSummary: (text) => countsOfSummary(text),
  replaceOwnPart: (text) => replaceOwnPart(text, 'x', 'part'),
  withoutSuppressions: (text) => withoutSuppressions(text),
  readSaid: (text) => readSaid(text),
  retryUpdates: (text) => retryUpdates(text),
  scanText: (text) => scanText(text),
  parseTarget: (text) => parseTarget(text, 443),
  namedPrograms: (text) =>
    namedPrograms(
      { program: '/bin/sh', args: ['-c', text], cwd: '/', env: {} },
      { hidden: [], homes: [], avoid: [] },
    ),
}

const units = [
  ...'a0 \t\n-/.*([{<"\'=:@`\\|#!?_~+%$&;,é\u202e\u001b\u009b\0',
  'ab ',
  'a.',
  '../',
  '**/',
  '\u001b[',
  '\u001b]8;;',
  '```\n',
  '{"a":',
  '[[',
  '<!--',
  '&amp;',
  '# \n',
  'a@',
  '"\\"',
  '0.',
  '1 passed, ',
  '://',
  'x\u0000y',
]
const small = 16_000
const slackMs = 60
/** Four times as much text may take six times as long, to leave room for other work of the machine. */
const more = 4
const most = 6

it.each(Object.keys(readers))('%s takes time in proportion to what it reads', async (name) => {
  const read = readers[name] ?? (() => undefined)
  const timed = (unit: string, length: number) =>
    processorMs(() => read(unit.repeat(Math.ceil(length / unit.length))))
  const slow: string[] = []
  for (const unit of units) {
    const once = Math.min(await timed(unit, small), await timed(unit, small))
    const later = Math.min(await timed(unit, more * small), await timed(unit, more * small))
    if (later > most * once + slackMs) slow.push(`${JSON.stringify(unit)}: ${once} ms, then ${later} ms`)
  }
  expect(slow).toEqual([])
})
