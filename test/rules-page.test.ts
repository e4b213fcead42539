import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { rulesPage } from '../scripts/rules-page.ts'

test('the page of rules on disk is the one the code makes (npm run reference)', async () => {
  expect(await readFile(new URL('../docs/rules.md', import.meta.url), 'utf8')).toBe(rulesPage())
})
