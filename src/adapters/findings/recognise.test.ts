import { describe, expect, it } from 'vitest'
import { readReport, type ReadReportOptions } from './read-report.ts'

async function* inChunks(text: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const read = (text: string | Uint8Array, options: Partial<ReadReportOptions> = {}) =>
  readReport(inChunks(text, options.limits ? 1_000 : 7), {
    root: '/repo',
    sourceName: 'r.json',
    ...options,
  })

const sarif = (count: number, text = 'm') =>
  JSON.stringify({
    version: '2.1.0',
    runs: [{ results: Array.from({ length: count }, () => ({ message: { text } })) }],
  })

describe('reading a report', () => {
  it('tells SARIF and its own format apart by what is inside', async () => {
    const own = JSON.stringify({
      schema: 'fixpoint.findings.v1',
      source: 'me',
      findings: [{ title: 'x', file: 'a.ts', line: 3 }],
    })
    const answer = JSON.stringify({
      coverage: { reviewed: ['a.ts'] },
      groups: [{ id: 'g1', findings: [{ issue: 'y' }] }],
    })
    expect((await read(sarif(1))).format).toBe('sarif')
    expect(await read(own)).toMatchObject({
      format: 'fixpoint',
      findings: [{ title: 'x', file: 'a.ts', line: 3, source: { kind: 'agent', name: 'me' } }],
    })
    expect(await read(answer)).toMatchObject({
      format: 'fixpoint',
      findings: [{ title: 'y', group: 'g1', source: { kind: 'agent', name: 'r.json' } }],
      coverage: { reviewed: ['a.ts'] },
    })
  })

  it('gives the source to findings that stand before it', async () => {
    const text = JSON.stringify({ findings: [{ title: 'x' }], source: { kind: 'person', name: 'Ann' } })
    expect((await read(text)).findings[0]?.source).toEqual({ kind: 'person', name: 'Ann' })
  })

  it.each([
    ['', 'is empty'],
    [' \n\t ', 'is empty'],
    ['\u0000\u0000', 'is not UTF-8 text'],
    [
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('{}', 'utf16le')]),
      'is JSON of a kind that is not known',
    ],
    [Buffer.from([0x1f, 0x8b, 0x08]), 'is compressed'],
    ['<html/>', 'is XML of a kind that is not known: it begins with <html>'],
    ['[]', 'is an empty list'],
    ['all good', 'is no report: it is neither JSON nor XML'],
    ['{}', 'is JSON of a kind that is not known'],
    [
      '{"version": "2.1.0", "runs": [{"results": [{"message": {"text": "cut',
      'is cut off: the file ends too early',
    ],
    ['{"version": "2.1.0", "runs": [}', 'is not valid JSON'],
    ['{"findings": [], "runs": []}', 'looks like SARIF but has no "version"'],
    ['{"a": "b', 'is cut off: the file ends too early'],
    ['{"a": [1}', 'is not valid JSON'],
    ['{"a" 1}', 'is not valid JSON'],
    ['{"schema": "fixpoint.findings.v2", "findings": []}', 'has the schema "fixpoint.findings.v2"'],
    ['{"schema": "fixpoint.findings.v1"}', 'has neither "findings" nor "groups"'],
    ['{"findings": [{"title": "a"}, {}]}', 'finding 1 (byte 30) has neither "title" nor "issue"'],
    ['{"groups": [{"findings": [{}]}]}', 'in group 0, finding 0 has neither "title" nor "issue" (byte 12)'],
    ['{"source": 3, "findings": []}', 'has a "source" that cannot be read'],
  ])('refuses %j and says why and what to do', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'input_invalid',
      message: expect.stringContaining(`r.json ${message}`),
      hint: expect.stringMatching(/\w/),
    })
  })

  it('looks further into a file until its format shows', async () => {
    const late = `{"properties": ${JSON.stringify({ a: 'x'.repeat(3_000_000) })}, ${sarif(2).slice(1)}`
    expect(await read(late, { limits: {} })).toMatchObject({ format: 'sarif', findings: [{}, {}] })
    expect(await read(`${' '.repeat(200_000)}${sarif(1)}`, { limits: {} })).toMatchObject({ format: 'sarif' })
    await expect(
      read(`{"a": "${'x'.repeat(20_000_000)}", ${sarif(1).slice(1)}`, { limits: {} }),
    ).rejects.toThrow('is JSON of a kind that is not known')
  })

  it('holds to the format that was asked for', async () => {
    await expect(read(sarif(1), { format: 'fixpoint' })).rejects.toThrow(
      'is not a report in the format "fixpoint"',
    )
    expect((await read(sarif(1), { format: 'sarif' })).findings).toHaveLength(1)
    await expect(read('', { format: 'sarif' })).rejects.toThrow('is empty')
    await expect(read(sarif(1), { format: 'klingon' })).rejects.toMatchObject({
      code: 'usage',
      message: '"klingon" is no format of a report',
      hint: expect.stringContaining('Known are sarif, oxlint, biome, rdjson'),
    })
  })

  it.each([
    [{ maxBytes: 100_000 }, 'is larger than 0 MB'],
    [{ maxFindings: 4_999 }, 'holds more than 4999 findings'],
    [{ maxTextLength: 4_000 }, 'holds more text than can be kept'],
  ])('keeps to its limit of %j', async (limits, message) => {
    await expect(read(sarif(5_000), { limits })).rejects.toThrow(message)
  })

  it('refuses deep nesting and long values without running out of anything', async () => {
    await expect(read(`{"runs":${'['.repeat(1_000_000)}`, { limits: {} })).rejects.toThrow(
      'an object is expected, at runs[0]',
    )
    await expect(read(`{"runs":[{"tool":${'{"a":'.repeat(300_000)}`, { limits: {} })).rejects.toThrow(
      'nests deeper than 512 levels',
    )
    await expect(read(sarif(1, 'x'.repeat(17_000_000)), { limits: {} })).rejects.toThrow(
      'holds one value of more than 16 MB, at runs[0].results[0]',
    )
  })

  it('reads twenty thousand results', async () => {
    const report = await read(sarif(20_000), { limits: {} })
    expect(report.findings).toHaveLength(20_000)
  })
})
