import { expect, it } from 'vitest'
import { readReport } from '../read-report.ts'

const at = (uri: string, startLine: number, text?: string) => ({
  location: {
    physicalLocation: { artifactLocation: { uri }, region: { startLine } },
    ...(text !== undefined && { message: { text } }),
  },
})

async function describe(result: object): Promise<string | undefined> {
  const document = { version: '2.1.0', runs: [{ tool: { driver: { name: 'x' } }, results: [result] }] }
  async function* bytes() {
    yield Buffer.from(JSON.stringify(document))
  }
  const { findings } = await readReport(bytes(), { root: '/repo', sourceName: 'r.sarif' })
  return findings[0]?.description
}

it('the reader of SARIF names the steps of the flow that leads to a problem, each once', async () => {
  const locations = [at('a.js', 1, 'user input'), at('b.js', 7), at('b.js', 7)]
  const codeFlows = [{ threadFlows: [{ locations }] }, { threadFlows: [{ locations: [at('other.js', 1)] }] }]
  expect(await describe({ message: { text: 'Tainted' }, codeFlows })).toBe(
    'Tainted\n\nSee also:\n- a.js:1: user input\n- b.js:7',
  )
})

it('the reader of SARIF bears flows that are empty or lead nowhere', async () => {
  for (const codeFlows of [
    [],
    [{}],
    [{ threadFlows: [] }],
    [{ threadFlows: [{ locations: [{}, { location: {} }] }] }],
  ])
    expect(await describe({ message: { text: 'Tainted' }, codeFlows })).toBe('Tainted')
})
