import { describe, expect, it } from 'vitest'
import { narrowCommand } from './narrow-command.ts'

const scripts = { test: 'vitest run', unit: 'node --test', all: 'eslint . && jest', some: 'mocha test/a.js' }
const narrow = (run: string): string => narrowCommand(run, ['test/a.test.ts'], scripts)

describe('a command for one file of tests', () => {
  it.each([
    ['node --test', 'node --test test/a.test.ts'],
    ['node --import ./setup.mjs --test', 'node --import ./setup.mjs --test'],
    [
      'node --import=./setup.mjs --test --test-reporter=tap test/',
      'node --import=./setup.mjs --test --test-reporter=tap test/a.test.ts',
    ],
    ['npx vitest run --no-color', 'npx vitest run --no-color test/a.test.ts'],
    ['python3 -m pytest -q', 'python3 -m pytest -q test/a.test.ts'],
    ['npm test', 'npm test -- test/a.test.ts'],
    ['npm run unit', 'npm run unit -- test/a.test.ts'],
    ['yarn test', 'yarn test test/a.test.ts'],
  ])('is made of %s', (run, expected) => {
    expect(narrow(run)).toBe(expected)
  })

  it.each([
    'npm run all',
    'npm run some',
    'make test',
    'vitest run && tsc',
    'jest src',
    'node scripts/verify.mjs',
    'CI="1" jest',
  ])('is the whole of %s', (run) => {
    expect(narrow(run)).toBe(run)
  })

  it('is the whole one when a path could mean something to a shell', () => {
    expect(narrowCommand('jest', ['test/$(id).test.js'], {})).toBe('jest')
    expect(narrowCommand('jest', ['-t.test.js'], {})).toBe('jest')
  })
})
