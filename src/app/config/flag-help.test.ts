import { expect, test } from 'vitest'
import { settingFlags } from '../../model/config/settings.ts'
import { describeFlag } from './flag-help.ts'

test('the help of a flag says what its setting means, the words it takes, its key and its default', () => {
  expect(['--max-fix-cycles', '--strategy', '--allow'].map(describeFlag)).toEqual([
    'rounds per issue before it is given up; 0 fixes nothing (fix.max_rounds: 3)',
    'one agent per issue, one per batch, or one for all: isolated, sequential, single-call (fix.strategy: isolated)',
    'folders outside of workspace.path that fixes may touch too (workspace.allowed_extra_paths)',
  ])
})

test('the help of a flag that names an agent says what this agent does', () => {
  expect(describeFlag('--fixer')).toBe('the agent that changes the code (agents.fixer)')
})

test('every flag of a setting has a help of its own', () => {
  const helps = settingFlags.map(({ flag }) => describeFlag(flag))
  expect(new Set(helps).size).toBe(settingFlags.length)
})

test('a flag that no setting has is refused', () => {
  expect(() => describeFlag('--nope')).toThrow('no setting has the flag --nope')
})
