import { describe, expect, it } from 'vitest'
import { classOf, isBrowserPackage } from './classify.ts'

const rules = (hasBrowser: boolean) => ({
  classes: { BE: ['server/**'], FE: ['web/**', '**/*.sql.css'], GEN: ['docs/**'] },
  hasBrowserDependency: () => hasBrowser,
})

describe('the class of a path', () => {
  it.each([
    ['server/view.tsx', true, 'BE'],
    ['web/app.py', false, 'FE'],
    ['web/.hidden/x.go', false, 'FE'],
    ['docs/a.ts', true, 'GEN'],
    ['src/a.py', true, 'BE'],
    ['src/A.GO', true, 'BE'],
    ['src/a.tsx', false, 'FE'],
    ['src/a.vue', false, 'FE'],
    ['src/a.css', false, 'FE'],
    ['src/a.ts', true, 'FE'],
    ['src/a.ts', false, 'BE'],
    ['src/a.mjs', false, 'BE'],
    ['README.md', true, 'GEN'],
    ['Makefile', true, 'GEN'],
    ['.gitignore', true, 'GEN'],
    ['a.ts/b', true, 'GEN'],
    [null, true, 'GEN'],
  ])('%s with a browser dependency: %s, is %s', (path, hasBrowser, expected) => {
    expect(classOf(path, rules(hasBrowser))).toBe(expected)
  })
})

describe('a browser package', () => {
  it.each([
    ['{"dependencies": {"react": "19"}}', true],
    ['{"devDependencies": {"@angular/core": "1"}}', true],
    ['{"peerDependencies": {"vue": "3"}}', true],
    ['{"main": "a.js", "devDependencies": {"react": "19"}}', false],
    ['{"exports": "./a.js", "peerDependencies": {"react": "19"}, "devDependencies": {"react": "19"}}', true],
    ['{"private": true, "main": "a.js", "devDependencies": {"svelte": "5"}}', true],
    ['{"dependencies": {"express": "5", "react-query-server": "1"}}', false],
    ['{}', false],
    ['null', false],
    ['{"dependencies": "react"}', false],
    ['not JSON', false],
  ])('%s: %s', (text, expected) => {
    expect(isBrowserPackage(text)).toBe(expected)
  })
})
