import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { agentsPage, configJsonSchema, configurationPage } from './reference.ts'

const reference = new URL('../../../docs/reference/', import.meta.url)
const read = (name: string): Promise<string> => readFile(new URL(name, reference), 'utf8')

test('the JSON Schema on disk is the one the code makes (node scripts/reference.ts)', async () => {
  expect(JSON.parse(await read('fixpoint.schema.json'))).toEqual(configJsonSchema())
})

test('the configuration page on disk is the one the code makes (node scripts/reference.ts)', async () => {
  expect(await read('configuration.md')).toBe(configurationPage())
})

test('the page of agents on disk is the one the code makes (node scripts/reference.ts)', async () => {
  expect(await read('agents.md')).toBe(agentsPage())
})

test('every key on the page says what it means', () => {
  const rows = configurationPage()
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  expect(rows.length).toBeGreaterThan(40)
  expect(rows.filter((row) => row.endsWith('|  |'))).toEqual([])
})
