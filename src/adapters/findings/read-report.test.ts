import { describe, expect, it } from 'vitest'
import { parseMapping } from './mapped/mapping.ts'
import { readReport, type ReadReportOptions } from './read-report.ts'

async function* inChunks(text: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const read = (text: string | object, options: Partial<ReadReportOptions> & { map?: string } = {}) => {
  const { map, ...rest } = options
  return readReport(inChunks(typeof text === 'string' ? text : JSON.stringify(text)), {
    root: '/repo',
    sourceName: 'r.json',
    ...rest,
    ...(map !== undefined && { mapping: parseMapping(map, 'the mapping') }),
  })
}

describe('the format of a report', () => {
  const diagnostic = { message: 'm', location: { path: 'a.js' } }
  it.each([
    ['sarif', { $schema: 'x', version: '2.1.0', runs: [] }],
    ['sarif', { runs: [], version: '2.1.0' }],
    ['fixpoint', { source: 'me', findings: [] }],
    ['fixpoint', { groups: [] }],
    ['rdjson', { source: { name: 'x' }, severity: 'ERROR', diagnostics: [diagnostic] }],
    ['rdjsonl', `${JSON.stringify(diagnostic)}\n${JSON.stringify(diagnostic)}\n`],
    ['eslint', [{ filePath: '/repo/a.js', messages: [] }]],
    ['junit', '\uFEFF<?xml version="1.0"?>\n<testsuites/>'],
    ['junit', '<testsuite name="x"></testsuite>'],
  ])('is seen by what is inside: %s', async (format, text) => {
    expect(await read(text)).toMatchObject({ format })
  })

  it.each([
    ['', 'is empty'],
    ['[]', 'is an empty list, which many tools write when they find nothing'],
    ['[{"source":"a.css","warnings":[]}]', 'is a JSON list of a kind that is not known'],
    ['{"a":1}', 'is JSON of a kind that is not known'],
    ['all good', 'is no report: it is neither JSON nor XML'],
    ['<html></html>', 'is XML of a kind that is not known: it begins with <html>'],
    ['{"diagnostics":[{"message":"m","path":"a.js"}]}', 'diagnostic 0 (byte 16) has no "location"'],
    ['{"diagnostics":[{"location":{}}]}', 'has neither "message" nor "code"'],
    ['{"diagnostics":{}}', 'holds an object where a list is expected'],
    ['{"message":"m","location":{"path":"a"}}\n{"message":', 'is not one JSON object per line: line 2'],
    ['[{"filePath":"a"}]', 'entry 0 lacks "filePath" or "messages"'],
  ])('is refused when it is none: %j', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'input_invalid',
      message: expect.stringContaining(message),
      hint: expect.stringMatching(/\w/),
    })
  })
})

describe('rdjson', () => {
  it('takes what holds for all from behind the diagnostics too', async () => {
    const own = { message: 'b', location: { path: './b.js' }, severity: 1, source: { name: 'own' } }
    const { findings } = await read({
      diagnostics: [{ message: 'a', location: { path: 'a.js', range: { start: { line: 3 } } } }, own],
      severity: 'INFO',
      source: { name: 'lint' },
    })
    expect(findings).toMatchObject([
      {
        title: 'a',
        severity: 'info',
        file: 'a.js',
        line: 3,
        end_line: null,
        source: { kind: 'tool', name: 'lint' },
      },
      { title: 'b', severity: 'major', file: 'b.js', line: null, source: { name: 'own' } },
    ])
  })

  it('keeps rule, page, suggestion and related places', async () => {
    const range = { start: { line: 3, column: 5 }, end: { line: 4, column: 1 } }
    const { findings } = await read(
      `${JSON.stringify({
        message: 'Use it. Really.',
        location: { path: 'file:///repo/a%20b.js', range },
        severity: 'WARNING',
        code: { value: 'R1', url: 'https://example.com/r1' },
        suggestions: [{ range, text: 'x = 1' }],
        related_locations: [{ message: 'there', location: { path: 'c.js', range } }],
      })}\n`,
    )
    expect(findings).toMatchObject([
      {
        title: 'Use it',
        description: 'Use it. Really.\n\nSee also:\n- c.js:3: there',
        rule: 'R1',
        severity: 'minor',
        file: 'a b.js',
        line: 3,
        end_line: 4,
        suggested_fix: 'In file:///repo/a%20b.js:3:5-4:1 write:\nx = 1',
        references: ['https://example.com/r1'],
      },
    ])
  })
})

describe('ESLint JSON', () => {
  it('tells findings, syntax errors, suppressed ones and what ESLint says about itself apart', async () => {
    const report = await read([
      {
        messages: [
          {
            ruleId: 'eqeqeq',
            severity: 2,
            message: 'Use ===.',
            line: 3,
            endLine: 3,
            fix: { range: [4, 6], text: '===' },
          },
          { ruleId: null, severity: 1, message: 'File ignored because of a matching ignore pattern.' },
        ],
        suppressedMessages: [
          { ruleId: 'a', severity: 1, message: 'm', line: 1, suppressions: [{ kind: 'directive' }] },
        ],
        filePath: '/repo/src/a.js',
        source: 'x'.repeat(1_000),
      },
      {
        filePath: 'C:\\other\\b.js',
        messages: [{ fatal: true, severity: 2, message: 'Parsing error: x', line: 1 }],
      },
    ])
    expect(report.notFindings).toBe(1)
    expect(report.findings).toMatchObject([
      {
        rule: 'eqeqeq',
        severity: 'major',
        file: 'src/a.js',
        line: 3,
        suggested_fix: 'In the characters 4 to 6 write:\n===',
      },
      { rule: 'a', severity: 'minor', suppressed: 'suppressed in the source code' },
      {
        rule: null,
        category: 'syntax-error',
        file: null,
        place_note: '"C:\\\\other\\\\b.js" line 1: the path lies outside the repository',
      },
    ])
  })
})

describe('JUnit XML', () => {
  const suite = (inside: string, attributes = 'name="unit"') =>
    `<testsuites><testsuite ${attributes}>${inside}</testsuite></testsuites>`

  it('reads failures and errors, and counts what passed', async () => {
    const report = await read(
      suite(
        `<testcase name="adds"/><testcase name="skips"><skipped/></testcase>
         <testcase name="divides" classname="math" file="test/math.test.js"><failure message="1 !== 2">AssertionError: 1 !== 2
    at Object.&lt;anonymous&gt; (/repo/node_modules/x/y.js:1:1)
    at run (file:///repo/test/math.test.js:12:5)</failure></testcase>
         <testcase name="opens"><error><![CDATA[Traceback:
  File "app/open.py", line 7, in open
ValueError: <bad> & "worse"]]></error></testcase>`,
      ),
    )
    expect(report.notFindings).toBe(2)
    expect(report.findings).toMatchObject([
      {
        title: 'divides: 1 !== 2',
        rule: 'divides',
        severity: 'major',
        category: 'testing',
        file: 'test/math.test.js',
        line: 12,
      },
      {
        rule: 'opens',
        file: 'app/open.py',
        line: 7,
        description: expect.stringContaining('ValueError: <bad> & "worse"'),
      },
    ])
  })

  it('takes what is not allowed in XML, and what nobody defines, as it is written', async () => {
    const { findings } = await read(
      `\n<?xml version="1.0"?><!DOCTYPE testsuites SYSTEM "file:///etc/passwd">${suite(
        '<testcase name="a &nbsp; <b>" name="c"><failure message="x">&x; &#0; \u001B[31mred\u001B[0m ]]> &lt;end&gt;</failure></testcase>',
      )}`,
    )
    expect(findings).toMatchObject([{ rule: 'c', description: '&x; &#0; red ]]> <end>' }])
  })

  it('reads other encodings that the file names', async () => {
    const text = `<?xml version="1.0" encoding="ISO-8859-1"?>${suite('<testcase name="gr\u00fc\u00df"><failure message="x"/></testcase>')}`
    const { findings } = await readReport(inChunks(Buffer.from(text, 'latin1')), {
      root: '/repo',
      sourceName: 'r.xml',
    })
    expect(findings[0]?.rule).toBe('grüß')
  })

  it.each([
    ['<testsuites><testsuite></testsuites>', 'closes another element'],
    ['<testsuites><testsuite>', 'is cut off'],
    ['<testsuites></testsuites><more/>', 'is not valid XML'],
    [
      '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuites>&b;</testsuites>',
      'defines entities of its own',
    ],
    [
      `<!DOCTYPE x [<!ENTITY a0 "lol">${Array.from({ length: 30 }, (_, at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(10)}">`).join('')}]><testsuites>&a30;</testsuites>`,
      'defines entities of its own',
    ],
    ['<testsuites><!DOCTYPE x [<!ENTITY a "b">]></testsuites>', 'is not valid XML'],
    [`<!${'a'.repeat(1_000_000)}`, 'is not valid XML'],
    ['<testsuites><testcase name=x/></testsuites>', 'is not valid XML: unquoted attribute value'],
    [`${'<testsuite>'.repeat(600)}`, 'nests deeper than 512 levels'],
    [`<testsuites a="${'x'.repeat(1_100_000)}`, 'has a tag that is too long'],
    ['<?xml encoding="klingon"?><testsuites/>', 'is written in "klingon"'],
  ])('is refused when it is broken or hostile: %.60s', async (text, message) => {
    await expect(readReport(inChunks(text, 50_000), { root: '/repo', sourceName: 'r.xml' })).rejects.toThrow(
      message,
    )
  })
})

describe('a text of an XML report', () => {
  it.each(['', '&', '<!--', '<![CDATA[', '<?', '<!DOCTYPE ', '</', '<'])(
    'is refused when it has no end: %j',
    async (opening) => {
      const text = `<testsuites>${opening}${'a'.repeat(500_000)}`
      const limits = { maxValueBytes: 100_000 }
      await expect(
        readReport(inChunks(text, 50_000), { root: '/repo', sourceName: 'r.xml', limits }),
      ).rejects.toThrow(/holds one text of more than|is not valid XML/)
    },
  )
})

describe('a mapping', () => {
  it('finds the parts of a finding in lists of lists, with what stands around them', async () => {
    const map =
      'list=data.files[].problems,file=^path,line=at.from,end_line=at.to,message={kind}: {text},rule=X{no},severity=sev,severities.odd=critical,category=^^nothing,source=mine,first_line=0'
    const { findings, format } = await read(
      {
        data: {
          files: [
            { path: 'a.js', problems: [{ at: { from: 0, to: 2 }, kind: 'k', text: 't', no: 7, sev: 'Odd' }] },
            { path: 'b.js' },
          ],
        },
      },
      { map },
    )
    expect(format).toBe('mapped')
    expect(findings).toMatchObject([
      {
        source: { kind: 'tool', name: 'mine' },
        file: 'a.js',
        line: 1,
        end_line: 3,
        title: 'k: t',
        rule: 'X7',
        severity: 'critical',
        category: 'general',
      },
    ])
  })

  it('reads a list at the top, one object per line, and positions in lists', async () => {
    const map = 'file=f,line=l[-1],message=m'
    const item = { f: '/repo/a.js', l: [3, 9], m: 'x' }
    const expected = [{ file: 'a.js', line: 9, severity: 'minor', severity_note: null }]
    expect((await read([item], { map })).findings).toMatchObject(expected)
    expect((await read(`${JSON.stringify(item)}\n`, { map })).findings).toMatchObject(expected)
    expect((await read('', { map })).findings).toEqual([])
  })

  it.each([
    ['message=m,list=a', '{"b":[]}', 'holds no list at "a"'],
    ['message=m,list=a', '{"a":{}}', 'holds an object where a list is expected'],
    ['message=m,list=a[].b', '{"a":[{"b":1}]}', 'holds no list at "b" of an item'],
    ['message=m', '[{"n":1}]', 'has no message in item 0'],
    ['message=__proto__.x', '[{"n":1}]', 'has no message in item 0'],
  ])('that does not fit is said: %s on %s', async (map, text, message) => {
    await expect(read(text, { map })).rejects.toThrow(message)
  })

  it.each([
    ['list=a', 'message: '],
    ['message', '"message" is not key=value'],
    ['message=m,colour=c', 'Unrecognized key: "colour"'],
    ['message=m,first_line=2', 'first_line: '],
    ['message=m,severities.x=huge', 'severities.x: '],
  ])('that is none is refused: %s', (map, message) => {
    expect(() => parseMapping(map, 'the mapping')).toThrow(message)
  })
})

describe('the places of a report', () => {
  it.each([
    ['../../etc/passwd', null],
    ['/etc/passwd', null],
    ['file:///etc/passwd', null],
    ['file://evil.example/repo/a.js', null],
    ['file:///repo/a%2fb.js', null],
    ['a\u0000b.js', null],
    ['\\\\?\\C:\\x', null],
    ['', null],
    ['./src//a.js', 'src/a.js'],
    ['/repo/src/a.js', 'src/a.js'],
    ['src\\a.js', 'src/a.js'],
  ])('never lead out of the repository: %j', async (path, file) => {
    const line = JSON.stringify({ message: 'm', location: { path, range: { start: { line: 1 } } } })
    const { findings } = await read(`${line}\n`)
    expect(findings).toHaveLength(1)
    expect(findings[0]).toMatchObject(
      file === null ? { file, place_note: expect.stringMatching(/\w/) } : { file, line: 1 },
    )
  })

  it('have no line where the report has a senseless one', async () => {
    const lines = [0, -3, 2 ** 40].map((line) =>
      JSON.stringify({ message: 'm', location: { path: 'a', range: { start: { line } } } }),
    )
    expect((await read(lines.join('\n'))).findings.map(({ line }) => line)).toEqual([null, null, null])
  })

  it('hold nothing that a terminal would obey, nor do its texts', async () => {
    const text = 'a\u202Eb\u001B[31mc\u200Bd\u0007'
    const line = JSON.stringify({
      message: text,
      location: { path: 'a.js' },
      code: { value: text },
      source: { name: 'x' },
    })
    const [finding] = (await read(`${line}\n`)).findings
    expect(finding).toMatchObject({ title: 'abcd', description: 'abcd', rule: 'abcd' })
  })
})
