import { expect, it } from 'vitest'
import type { WrittenFinding } from '../../../model/issue/finding.ts'
import { readReport } from '../read-report.ts'

/** The finding that one result becomes, in a run with the given tables. */
async function readOne(result: object, run: object): Promise<WrittenFinding | undefined> {
  const report = {
    version: '2.1.0',
    runs: [
      { tool: { driver: { name: 'scan' } }, results: [{ message: { text: 'Said.' }, ...result }], ...run },
    ],
  }
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(JSON.stringify(report))
  }
  const { findings } = await readReport(bytes(), { root: '/repo', sourceName: 'report.sarif' })
  return findings[0]
}

const guid = '1A567403-868F-405E-92CF-771A9ECB03A1'
const cwe = { name: 'CWE', guid, taxa: [{ id: '79' }, { id: '95' }] }
const other = { name: 'House', taxa: [{ id: 'performance' }] }

it.each([
  ['by index', { index: 1, toolComponent: { index: 1 } }],
  ['by index and the name of the catalogue', { index: 1, toolComponent: { name: 'CWE' } }],
  ['by index and the guid of the catalogue', { index: 1, toolComponent: { guid } }],
  ['by id and the place of the catalogue', { id: '95', toolComponent: { index: 1 } }],
  ['by id and name alone', { id: '95', toolComponent: { name: 'cwe', index: 7 } }],
])('an entry of a catalogue is found %s, for a result and for its rule', async (_, reference) => {
  const taxonomies = [other, cwe]
  const expected = { category: 'security', references: ['CWE-95'] }
  expect(await readOne({ taxa: [reference] }, { taxonomies })).toMatchObject(expected)
  const rules = [{ id: 'r', relationships: [{ target: reference, kinds: ['relevant'] }] }]
  const tool = { driver: { name: 'scan', rules } }
  expect(await readOne({ ruleId: 'r' }, { taxonomies, tool })).toMatchObject(expected)
})

it('an entry that no table has says nothing', async () => {
  const taxa = [{ index: 9, toolComponent: { index: 0 } }, { index: 0, toolComponent: { index: 5 } }, {}]
  expect(await readOne({ taxa }, { taxonomies: [other] })).toMatchObject({
    category: 'general',
    references: [],
  })
})

it("an entry of the tool's own table is found by its place", async () => {
  const tool = { driver: { name: 'scan', taxa: other.taxa } }
  expect(await readOne({ taxa: [{ index: 0 }] }, { tool })).toMatchObject({ category: 'performance' })
})

const rules = [{ id: 'r', defaultConfiguration: { level: 'note' } }]
const tool = { driver: { name: 'scan', rules } }
const override = (descriptor: object, level = 'error') => ({
  invocations: [
    { executionSuccessful: true, ruleConfigurationOverrides: [{ descriptor, configuration: { level } }] },
  ],
})

it.each([
  ['without an override', {}, {}, 'info'],
  ['with one by id', {}, override({ id: 'r' }), 'major'],
  ['with one by index', {}, override({ index: 0 }), 'major'],
  ['with one for another rule', {}, override({ id: 'other' }), 'info'],
  ["with one, and the result's own level", { level: 'warning' }, override({ id: 'r' }), 'minor'],
])('the level of a result %s', async (_, result, run, severity) => {
  expect(await readOne({ ruleId: 'r', ...result }, { tool, ...run })).toMatchObject({ severity })
})

it.each([
  ['characters', { charOffset: 12, charLength: 8 }, 'characters 12 to 20'],
  ['bytes', { byteOffset: 5 }, 'bytes 5 to 5'],
])('a place by %s alone is told, and the finding is about the file', async (_, region, said) => {
  const locations = [{ physicalLocation: { artifactLocation: { uri: 'src/a.ts' }, region } }]
  expect(await readOne({ locations }, {})).toMatchObject({
    file: 'src/a.ts',
    line: null,
    place_note: `the report gives no line, but ${said} of the file`,
  })
})
