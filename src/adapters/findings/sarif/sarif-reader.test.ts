import { describe, expect, it } from 'vitest'
import type { WrittenFinding } from '../../../model/issue/finding.ts'
import { readReport } from '../read-report.ts'

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

const read = (value: unknown) =>
  readReport(bytesOf(typeof value === 'string' ? value : JSON.stringify(value)), {
    root: '/repo',
    sourceName: 'report.sarif',
  })

const driver = { name: 'scan' }
const report = (run: object) => ({ version: '2.1.0', runs: [{ tool: { driver }, results: [], ...run }] })

/** The finding that one result becomes, in a run with the given tables. */
async function readOne(result: object, run: object = {}): Promise<WrittenFinding> {
  const { findings } = await read(report({ ...run, results: [{ message: { text: 'Said.' }, ...result }] }))
  if (findings[0] === undefined || findings.length > 1) throw new Error(`${findings.length} findings`)
  return findings[0]
}

const at = (artifactLocation: object, region?: object) => ({
  locations: [{ physicalLocation: { artifactLocation, ...(region && { region }) } }],
})

const rule = {
  id: 'no-eval',
  shortDescription: { text: 'Eval is evil' },
  helpUri: 'https://example.com/no-eval',
  defaultConfiguration: { level: 'error' },
  messageStrings: { used: { text: 'Call of {0} in {{x}} by {1}.' } },
  properties: { tags: ['external/cwe/cwe-095', 'correctness'] },
}
const withRule = (properties: object = {}) => ({
  tool: { driver: { ...driver, rules: [{ ...rule, ...properties }] } },
})

describe('a SARIF result', () => {
  it('becomes a finding with everything that its rule says', async () => {
    const result = {
      ruleIndex: 0,
      message: { text: 'Do not call eval. It runs any text.' },
      ...at({ uri: 'src/a.ts' }, { startLine: 3, endLine: 4 }),
    }
    expect(await readOne(result, withRule())).toEqual({
      source: { kind: 'tool', name: 'scan' },
      rule: 'no-eval',
      title: 'Do not call eval',
      description: 'Do not call eval. It runs any text.',
      severity: 'major',
      severity_note: null,
      category: 'security',
      file: 'src/a.ts',
      line: 3,
      end_line: 4,
      suggested_fix: null,
      references: ['https://example.com/no-eval', 'CWE-95'],
      estimated_effort: null,
      estimated_files_count: null,
      group: null,
      suppressed: null,
      place_note: null,
    })
  })

  it.each([
    ['ruleId', { ruleId: 'no-eval' }],
    ['ruleIndex', { ruleIndex: 0 }],
    ['rule.id', { rule: { id: 'no-eval' } }],
    ['rule.index', { rule: { index: 0 } }],
    ['a part of the rule', { ruleId: 'no-eval/direct' }],
    ['an index that is wrong beside an id that is right', { ruleId: 'no-eval', ruleIndex: 7 }],
    ['an index of -1', { ruleId: 'no-eval', ruleIndex: -1 }],
  ])('finds its rule by %s', async (_, named) => {
    expect(await readOne(named, withRule())).toMatchObject({ severity: 'major' })
  })

  it('finds its rule in an extension', async () => {
    const tool = { driver, extensions: [{ name: 'empty' }, { name: 'pack', rules: [rule] }] }
    expect(await readOne({ rule: { index: 0, toolComponent: { index: 1 } } }, { tool })).toMatchObject({
      rule: 'no-eval',
    })
    expect(await readOne({ ruleId: 'no-eval' }, { tool })).toMatchObject({ severity: 'major' })
  })

  it('is read the same when its tool and tables stand after it', async () => {
    const results = [
      {
        ruleIndex: 0,
        message: { id: 'used', arguments: ['eval', 'me'] },
        ...at({ index: 0 }, { startLine: 2 }),
      },
    ]
    const tables = {
      ...withRule(),
      artifacts: [{ location: { uri: 'a%20b.ts', uriBaseId: 'SRC' } }],
      originalUriBaseIds: { SRC: { uri: 'lib/' } },
    }
    const first = await read({ version: '2.1.0', runs: [{ ...tables, results }] })
    const last = await read({ runs: [{ results, ...tables }], version: '2.1.0' })
    expect(last).toEqual(first)
    expect(first.findings[0]).toMatchObject({
      file: 'lib/a b.ts',
      line: 2,
      title: 'Call of eval in {x} by me',
      rule: 'no-eval',
    })
  })

  it.each([
    ['text', { text: 'Plain.' }, 'Plain'],
    ['text with arguments', { text: 'Use {0}, not {1}.', arguments: ['===', '=='] }, 'Use ===, not =='],
    ['a missing argument', { text: 'Use {1}.', arguments: ['x'] }, 'Use {1}'],
    ['markdown only', { markdown: '**Bold** words' }, '**Bold** words'],
    ['a link to a related location', { text: 'Flows from [input](1) here.' }, 'Flows from input here'],
    ['an id of the rule', { id: 'used', arguments: ['f', 'g'] }, 'Call of f in {x} by g'],
    ['an id of the tool', { id: 'common' }, 'Shared words'],
    ['an id that nobody knows', { id: 'lost' }, 'Eval is evil'],
    ['nothing', {}, 'Eval is evil'],
    ['control and bidi characters', { text: 'a\u0000\u202Eb\u001B[1mc' }, 'abc'],
  ])('takes its title from %s', async (_, message, title) => {
    const tool = {
      driver: { ...driver, rules: [rule], globalMessageStrings: { common: { text: 'Shared words.' } } },
    }
    expect(await readOne({ ruleId: 'no-eval', message }, { tool })).toMatchObject({ title })
  })

  it('has a title even when nobody says anything', async () => {
    expect(await readOne({ ruleId: 'R1', message: {} })).toMatchObject({ title: 'R1' })
    expect(await readOne({ message: { text: ' \u0000 ' } })).toMatchObject({
      title: 'A finding of scan without a message',
    })
  })

  it.each([
    [{ level: 'error' }, {}, 'major'],
    [{ level: 'warning' }, {}, 'minor'],
    [{ level: 'note' }, {}, 'info'],
    [{ level: 'none' }, {}, 'info'],
    [{}, {}, 'major'],
    [{}, { defaultConfiguration: {} }, 'minor'],
    [{ kind: 'review', level: 'none' }, {}, 'major'],
    [{ kind: 'open' }, {}, 'major'],
    [{ level: 'note' }, { properties: { 'security-severity': '9.1' } }, 'critical'],
    [{}, { properties: { 'security-severity': '7.0' } }, 'major'],
    [{}, { properties: { 'security-severity': 4 } }, 'minor'],
    [{}, { properties: { 'security-severity': '0.1' } }, 'info'],
    [{ properties: { 'security-severity': '9.9' } }, {}, 'critical'],
    [{}, { properties: { 'security-severity': 'high' } }, 'major'],
    [{}, { properties: { 'security-severity': '' } }, 'major'],
  ])('with %j and a rule with %j is %s', async (result, ofRule, severity) => {
    expect(await readOne({ ruleId: 'no-eval', ...result }, withRule(ofRule))).toMatchObject({
      severity,
      severity_note: null,
    })
  })

  it('says so when its level is not known', async () => {
    expect(await readOne({ level: 'grave' })).toMatchObject({
      severity: 'minor',
      severity_note: expect.stringContaining('"grave"'),
    })
  })

  it.each([
    [{ tags: ['security'] }, 'security'],
    [{ tags: ['maintainability', 'readability'] }, 'maintainability'],
    [{ tags: ['Performance'] }, 'performance'],
    [{ category: 'Naming' }, 'naming'],
    [{ 'security-severity': '5' }, 'security'],
    [{}, 'general'],
  ])('with the properties %j is of the category %s', async (properties, category) => {
    expect(await readOne({ properties })).toMatchObject({ category })
  })

  it('takes weaknesses from taxa and relationships', async () => {
    const taxa = [{ id: '79', toolComponent: { name: 'CWE' } }]
    const relationships = [{ target: { id: 'CWE-20' } }]
    const found = await readOne({ ruleId: 'no-eval', taxa }, withRule({ relationships, properties: {} }))
    expect(found).toMatchObject({
      category: 'security',
      references: ['https://example.com/no-eval', 'CWE-20', 'CWE-79'],
    })
  })

  it('keeps only web addresses as references, and help text where there is none', async () => {
    const found = await readOne(
      { ruleId: 'no-eval' },
      withRule({ helpUri: 'javascript:alert(1)', help: { text: 'Read this.' }, properties: {} }),
    )
    expect(found.references).toEqual(['Read this.'])
  })

  it.each([
    ['accepted', [{ kind: 'inSource', status: 'accepted', justification: 'known' }], 'known'],
    ['without a status', [{ kind: 'external' }], 'suppressed outside of the source code'],
    ['rejected', [{ kind: 'external', status: 'rejected' }], null],
    ['under review', [{ kind: 'external' }, { kind: 'external', status: 'underReview' }], null],
    ['empty', [], null],
  ])(
    'with a suppression that is %s is suppressed only when its source accepts it',
    async (_, suppressions, suppressed) => {
      expect(await readOne({ suppressions })).toMatchObject({ suppressed })
    },
  )

  it('tells its fix in words', async () => {
    const fix = (description: string, inserted?: string) => ({
      description: { text: description },
      artifactChanges: [
        {
          artifactLocation: { uri: 'a.ts' },
          replacements: [
            {
              deletedRegion: { startLine: 3, startColumn: 5, endColumn: 9 },
              ...(inserted && { insertedContent: { text: inserted } }),
            },
          ],
        },
      ],
    })
    expect(await readOne({ fixes: [fix('Use parse.', 'JSON.parse(x)')] })).toMatchObject({
      suggested_fix: 'Use parse.\nIn a.ts:3:5-3:9 write:\nJSON.parse(x)',
    })
    expect(await readOne({ fixes: [{}, fix('Drop it.')] })).toMatchObject({
      suggested_fix: 'Drop it.\nIn a.ts:3:5-3:9 delete the text.',
    })
    expect(await readOne({ fixes: [] })).toMatchObject({ suggested_fix: null })
  })

  it('lies at its first place and names the others', async () => {
    const place = (uri: string, startLine: number) => ({
      physicalLocation: { artifactLocation: { uri }, region: { startLine } },
    })
    const found = await readOne({
      locations: [place('a.ts', 1), place('b.ts', 2)],
      relatedLocations: [{ ...place('c.ts', 3), message: { text: 'source' } }],
    })
    expect(found).toMatchObject({
      file: 'a.ts',
      line: 1,
      description: 'Said.\n\nSee also:\n- b.ts:2\n- c.ts:3: source',
    })
  })

  it.each([
    [undefined, null, null],
    [{ startLine: 7 }, 7, 7],
    [{ startLine: 7, endLine: 9 }, 7, 9],
    [{ startLine: 7, endLine: 2 }, 7, 7],
    [{ startLine: 0 }, null, null],
    [{ startLine: -1, endLine: 4 }, null, null],
    [{ charOffset: 10 }, null, null],
  ])('with the region %j lies at the lines %s to %s', async (region, line, endLine) => {
    expect(await readOne(at({ uri: 'a.ts' }, region))).toMatchObject({
      file: 'a.ts',
      line,
      end_line: endLine,
    })
  })
})

describe("a SARIF result's file", () => {
  const bases = {
    originalUriBaseIds: {
      ROOT: { uri: 'file:///home/ci/work/' },
      PKG: { uri: 'packages/a/', uriBaseId: 'ROOT' },
      HERE: { uri: 'file:///repo/lib/' },
      SDK: { uri: 'file:///usr/include/' },
      BARE: {},
      LOOP: { uri: 'x/', uriBaseId: 'LOOP' },
      UP: { uri: '../' },
    },
  }
  it.each([
    [{ uri: 'src/a.ts' }, 'src/a.ts'],
    [{ uri: './src//a.ts' }, 'src/a.ts'],
    [{ uri: 'src\\a.ts' }, 'src/a.ts'],
    [{ uri: 'src/a%20%C3%BC.ts' }, 'src/a ü.ts'],
    [{ uri: '100%.ts' }, '100%.ts'],
    [{ uri: '/repo/src/a.ts' }, 'src/a.ts'],
    [{ uri: 'file:///repo/src/a%20b.ts' }, 'src/a b.ts'],
    [{ uri: 'file://localhost/repo/a.ts' }, 'a.ts'],
    [{ uri: 'file:/repo/a.ts' }, 'a.ts'],
    [{ uri: 'a.ts', uriBaseId: 'ROOT' }, 'a.ts'],
    [{ uri: 'a.ts', uriBaseId: 'PKG' }, 'packages/a/a.ts'],
    [{ uri: 'a.ts', uriBaseId: 'HERE' }, 'lib/a.ts'],
    [{ uri: 'a.ts', uriBaseId: 'BARE' }, 'a.ts'],
    [{ uri: 'a.ts', uriBaseId: '%SRCROOT%' }, 'a.ts'],
    [{ uri: 'a:b.ts' }, 'a:b.ts'],
  ])('%j is %s', async (location, file) => {
    expect(await readOne(at(location), bases)).toMatchObject({ file, place_note: null })
  })

  it.each([
    [{ uri: '../../etc/passwd' }, 'outside the repository'],
    [{ uri: '%2e%2e/%2e%2e/etc/passwd' }, 'outside the repository'],
    [{ uri: '/etc/passwd' }, 'outside the repository'],
    [{ uri: 'file:///repository/a.ts' }, 'outside the repository'],
    [{ uri: 'C:\\Windows\\a.ts' }, 'outside the repository'],
    [{ uri: 'file:///C:/Windows/a.ts' }, 'outside the repository'],
    [{ uri: '\\\\?\\C:\\a.ts' }, 'outside the repository'],
    [{ uri: 'a%00.ts' }, 'NUL'],
    [{ uri: 'https://example.com/a.ts' }, 'not one of a file'],
    [{ uri: 'file://server/share/a.ts' }, 'another machine'],
    [{ uri: 'stdio.h', uriBaseId: 'SDK' }, 'outside the repository'],
    [{ uri: 'a.ts', uriBaseId: 'UP' }, 'outside the repository'],
    [{ uri: '' }, 'names no file'],
    [{ index: 12 }, 'names no file'],
    [{ uri: '.' }, 'names no file'],
  ])('%j is refused, and the finding kept', async (location, reason) => {
    const found = await readOne(at(location, { startLine: 3 }), bases)
    expect(found).toMatchObject({ title: 'Said', file: null, line: null, end_line: null })
    expect(found.place_note).toContain(reason)
  })

  it('does not follow bases in a circle', async () => {
    expect((await readOne(at({ uri: 'a.ts', uriBaseId: 'LOOP' }), bases)).file).toMatch(/^(x\/)+a\.ts$/)
  })

  it('may not be named at all', async () => {
    expect(await readOne({})).toMatchObject({ file: null, place_note: 'the report names no place' })
  })
})

describe('a SARIF file', () => {
  it('counts what is no finding', async () => {
    const kinds = ['pass', 'notApplicable', 'informational', 'fail', 'open', 'review', undefined]
    const results = [
      ...kinds.map((kind) => ({ kind, message: { text: 'm' } })),
      { baselineState: 'absent', message: { text: 'gone' } },
    ]
    const { findings, notFindings } = await read(report({ results }))
    expect([findings.length, notFindings]).toEqual([4, 4])
  })

  it('says when a tool may not have told all', async () => {
    const runs = [
      { tool: { driver }, invocations: [{ executionSuccessful: false }], results: [] },
      { tool: { driver: { name: 'quiet' } } },
      { tool: { driver: { name: 'null' } }, results: null },
      { tool: { driver: { name: 'good' } }, invocations: [{ executionSuccessful: true }], results: [] },
    ]
    expect(await read({ version: '2.1.0', runs })).toMatchObject({
      findings: [],
      incomplete: [
        'scan says that its run 0 failed',
        'run 1 (quiet) holds no list of results',
        'run 2 (null) holds no list of results',
      ],
    })
  })

  it('names the report where the tool has no name', async () => {
    const { findings } = await read({ version: '2.1.0', runs: [{ results: [{ message: { text: 'x' } }] }] })
    expect(findings[0]?.source).toEqual({ kind: 'tool', name: 'report.sarif' })
  })

  it.each([
    ['1.0.0', { version: '1.0.0', runs: [] }, 'is SARIF 1.0.0; only 2.1.0 is read'],
    [
      '1.0.0 by its schema',
      {
        $schema: 'http://json.schemastore.org/sarif-1.0.0',
        runs: [{ results: [{ message: 'x' }] }],
        version: '1.0.0',
      },
      'is SARIF 1.0.0',
    ],
    [
      'a beta by its schema',
      { $schema: 'http://json.schemastore.org/sarif-2.0.0-csd.2.beta.2018-10-10', runs: [] },
      'is SARIF 2.0.0-csd.2.beta',
    ],
    ['of no version', { runs: [] }, 'looks like SARIF but has no "version"'],
    ['of a number', { version: 2.1, runs: [] }, 'is SARIF 2.1;'],
    ['without runs', { version: '2.1.0' }, 'is SARIF without "runs"'],
    ['whose runs are text', { version: '2.1.0', runs: 'x' }, 'holds text where a list is expected, at runs'],
    [
      'whose run is text',
      { version: '2.1.0', runs: ['x'] },
      'holds text where an object is expected, at runs[0]',
    ],
    [
      'whose results are text',
      report({ results: 'x' }),
      'holds text where a list is expected, at runs[0].results',
    ],
    [
      'with a result of text',
      report({ results: [{ message: { text: 'a' } }, 'x'] }),
      '"result" is text; an object is expected, in run 0, result 1 (byte',
    ],
    [
      'with a message of text',
      report({ results: [{ message: 'x' }] }),
      '"message" is text; an object is expected, in run 0, result 0 (byte',
    ],
    [
      'with locations that are an object',
      report({ results: [{ locations: {} }] }),
      '"locations" is an object; a list is expected',
    ],
    [
      'with a rule list of text',
      report({ tool: { driver: { rules: ['x'] } } }),
      '"rules" is text; an object is expected',
    ],
    [
      'with results elsewhere',
      report({ externalPropertyFileReferences: { results: [{ location: { uri: 'x' } }] } }),
      'keeps results in other files',
    ],
    [
      'with inline external properties',
      { ...report({}), inlineExternalProperties: [{ results: [] }] },
      'keeps results in "inlineExternalProperties"',
    ],
  ])('%s is refused as a whole', async (_, value, message) => {
    await expect(read(value)).rejects.toMatchObject({
      code: 'input_invalid',
      message: expect.stringContaining(`report.sarif ${message}`),
    })
  })
})
