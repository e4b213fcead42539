import { describe, expect, test } from 'vitest'
import { findUnkept, findUnusedExports } from '../scripts/check-promises-scan.ts'

const nothing = { settings: [], events: [], flags: [] }
const textsOf = (files: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(files))

describe('the check of promises', () => {
  test.each([
    ['reads it', 'if (config.fix.patience > 1) wait()', []],
    ['takes it out of its section', 'const { patience } = config.fix', []],
    ['hands its section on', 'start(config.fix)\nconst use = ({ patience }: Fix) => patience', []],
    ['reads another setting', 'wait(config.fix.rounds)', ['setting that nothing reads: fix.patience']],
  ])('a setting counts as read where code %s', (_, text, found) => {
    expect(
      findUnkept(textsOf({ 'src/app/a.ts': text }), { ...nothing, settings: [['fix', 'patience']] }),
    ).toEqual(found)
  })

  test('a setting that only the configuration itself mentions is read by nothing', () => {
    const texts = textsOf({
      'src/app/config/a.ts': 'config.fix.patience',
      'src/model/config/b.ts': 'config.fix.patience',
    })
    expect(findUnkept(texts, { ...nothing, settings: [['fix', 'patience']] })).toEqual([
      'setting that nothing reads: fix.patience',
    ])
  })

  test('an event that is listed, shown or compared is sent by nobody until an object of its type is made', () => {
    const shown = {
      'src/model/session/event.ts': "'fix_x'",
      'src/client/a.ts': "case 'fix_x':",
      'src/adapters/a.ts': "if (event.type === 'fix_x') return\nconst begins = ['fix_x', 'fix_y']",
      'src/loop/b.ts':
        "type X = Extract<FixEvent, { type: 'fix_x' }>\nz.object({ type: z.literal('fix_x'), at })",
    }
    expect(findUnkept(textsOf(shown), { ...nothing, events: ['fix_x'] })).toEqual([
      'event that nobody sends: fix_x',
    ])
    const sent = { ...shown, 'src/loop/a.ts': "send({ type: 'fix_x', message })" }
    expect(findUnkept(textsOf(sent), { ...nothing, events: ['fix_x'] })).toEqual([])
    const chosen = { ...shown, 'src/loop/a.ts': "send({ type: ok ? 'fix_y' : 'fix_x', message })" }
    expect(findUnkept(textsOf(chosen), { ...nothing, events: ['fix_x'] })).toEqual([])
  })

  test('a flag of a setting is offered by a command', () => {
    const promised = { ...nothing, flags: ['--budget'] }
    expect(findUnkept(textsOf({ 'src/cli/main.ts': '' }), promised)).toEqual([
      'flag that no command offers: --budget',
    ])
    expect(findUnkept(textsOf({ 'src/cli/main.ts': ".option('--budget <usd>')" }), promised)).toEqual([])
  })

  test('an export is used by another file, or by its own', () => {
    const own = textsOf({
      'src/loop/a.ts': 'export const lonely = 1\nexport const inner = 2\nexport const outer = () => inner\n',
      'src/loop/b.ts': "import { outer } from './a.ts'\nouter()\n",
    })
    expect(findUnusedExports(own, new Map())).toEqual(['export that only tests use: lonely (src/loop/a.ts)'])
  })

  test('a type is used by another file, or by its own', () => {
    const own = textsOf({
      'src/loop/a.ts':
        'export interface Lonely { readonly a: 1 }\nexport type Inner = 1\nexport type Outer = { readonly b: Inner }\n' +
        'export const Noun = z.string()\nexport type Noun = z.infer<typeof Noun>\n',
      'src/loop/b.ts': "export type * from './a.ts'\n",
      'src/loop/c.ts': "import type { Outer } from './b.ts'\nexport default {} as Outer\n",
    })
    expect(findUnusedExports(own, new Map())).toEqual([
      'export that only tests use: Lonely (src/loop/a.ts)',
      'export that only tests use: Noun (src/loop/a.ts)',
    ])
  })
})
