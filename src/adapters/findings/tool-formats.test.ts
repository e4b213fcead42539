import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseMapping } from './mapped/mapping.ts'
import { readReport } from './read-report.ts'

const reports = join(import.meta.dirname, '../../../test/fixtures/reports')

const read = (file: string, format?: string) =>
  readReport(createReadStream(join(reports, file)), {
    root: '/home/dev/sample',
    sourceName: 'report',
    format,
  })

async function* bytesOf(text: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
const readText = (text: string | Uint8Array) =>
  readReport(bytesOf(text), { root: '/r', sourceName: 'report' })

/** File, format, how many, and the first one: source, rule, severity, place. */
const table: readonly (readonly [string, string, number, readonly unknown[]])[] = [
  ['shellcheck/report.json', 'shellcheck', 8, ['shellcheck', 'SC2045', 'major', 'scripts/deploy.sh', 3, 13]],
  [
    'shellcheck/report.list.json',
    'shellcheck',
    8,
    ['shellcheck', 'SC2045', 'major', 'scripts/deploy.sh', 3, 13],
  ],
  [
    'checkstyle/shellcheck.xml',
    'checkstyle',
    8,
    ['shellcheck', 'SC2045', 'major', 'scripts/deploy.sh', 3, 13],
  ],
  ['gcc/shellcheck.txt', 'gcc', 8, ['gcc', 'SC2045', 'major', 'scripts/deploy.sh', 3, 13]],
  ['gcc/report.txt', 'gcc', 2, ['gcc', '-Wparentheses', 'minor', 'app/tool.c', 7, 9]],
  ['gcc/clang.txt', 'gcc', 2, ['gcc', '-Wparentheses', 'minor', 'app/tool.c', 7, 15]],
  ['gcc/report.json', 'gcc', 2, ['gcc', '-Wparentheses', 'minor', 'app/tool.c', 7, 9]],
  ['flake8/report.txt', 'flake8', 4, ['flake8', 'F401', 'minor', 'app/report.py', 1, 1]],
  ['mypy/report.txt', 'mypy', 1, ['mypy', 'return-value', 'major', 'app/report.py', 22, undefined]],
  ['mypy/report.jsonl', 'mypy', 1, ['mypy', 'return-value', 'major', 'app/report.py', 22, 12]],
  ['mypy/junit.xml', 'junit', 1, ['mypy', 'return-value', 'major', 'app/report.py', 22, undefined]],
  ['pylint/report.json', 'pylint', 12, ['pylint', 'missing-module-docstring', 'info', 'app/report.py', 1, 1]],
  ['bandit/report.json', 'bandit', 3, ['bandit', 'B404', 'info', 'app/report.py', 2, undefined]],
  ['ruff/report.json', 'ruff', 3, ['ruff', 'F401', 'minor', 'app/report.py', 1, 8]],
  [
    'cppcheck/report.xml',
    'cppcheck',
    3,
    ['cppcheck', 'invalidPrintfArgType_sint', 'minor', 'app/tool.c', 8, 9],
  ],
  ['biome/report.json', 'biome', 8, ['biome', 'lint/style/useConst', 'minor', 'src/cart.js', 6, 3]],
  ['oxlint/report.json', 'oxlint', 4, ['oxlint', 'eslint(no-unused-vars)', 'minor', 'src/cart.js', 6, 7]],
  [
    'markdownlint/report.json',
    'markdownlint',
    8,
    ['markdownlint', 'MD022', 'minor', 'README.md', 1, undefined],
  ],
  [
    'markdownlint/report.txt',
    'markdownlint',
    8,
    ['markdownlint', 'MD022', 'minor', 'README.md', 1, undefined],
  ],
  ['ruff/report.jsonl', 'ruff', 5, ['ruff', 'F401', 'minor', 'app/report.py', 1, 8]],
  [
    'annotations/oxlint.txt',
    'annotations',
    4,
    ['report', 'eslint(no-cond-assign)', 'minor', 'src/über größe.js', 2, 19],
  ],
  ['annotations/ruff.txt', 'annotations', 5, ['ruff', 'F401', 'major', 'app/report.py', 1, 8]],
  ['lines/oxlint.txt', 'lines', 4, ['report', 'eslint(no-unused-vars)', 'minor', 'src/cart.js', 6, 7]],
  [
    'lines/pylint.txt',
    'lines',
    12,
    ['report', 'missing-module-docstring', 'info', 'app/report.py', 1, undefined],
  ],
  ['lines/stylelint.txt', 'lines', 6, ['report', 'color-hex-length', 'major', 'styles/main.css', 2, 10]],
  ['gitlab/ruff.json', 'gitlab', 5, ['report', 'F401', 'major', 'app/report.py', 1, 8]],
  ['cargo/clippy.jsonl', 'cargo', 2, ['rustc', 'unused_variables', 'minor', 'src/main.rs', 2, 9]],
  [
    'golangci-lint/sample.json',
    'golangci-lint',
    1,
    ['golangci-lint', 'errcheck', 'minor', 'cmd/main.go', 12, 9],
  ],
  ['hadolint/sample.json', 'hadolint', 2, ['hadolint', 'DL3006', 'minor', 'Dockerfile', 1, 1]],
  ['pmd/sample.xml', 'pmd', 1, ['pmd', 'UnusedLocalVariable', 'minor', 'src/Main.java', 3, 16]],
  [
    'semgrep/sample.json',
    'semgrep',
    1,
    ['semgrep', 'python.lang.security.audit.eval-detected.eval-detected', 'minor', 'app/report.py', 11, 12],
  ],
  [
    'trivy/sample.json',
    'trivy',
    2,
    ['trivy', 'CVE-2021-23337', 'major', 'package-lock.json', null, undefined],
  ],
  [
    'gitleaks/sample.json',
    'gitleaks',
    1,
    ['gitleaks', 'generic-api-key', 'critical', 'app/settings.py', 4, 5],
  ],
  [
    'npm-audit/sample.json',
    'npm-audit',
    1,
    ['npm-audit', 'GHSA-xvch-5gv4-984h', 'critical', 'package-lock.json', null, undefined],
  ],
  ['sonarqube/sample.json', 'sonarqube', 1, ['sonarqube', 'javascript:S1481', 'minor', 'src/cart.js', 6, 7]],
  [
    'code-scanning/sample.json',
    'code-scanning',
    1,
    ['CodeQL', 'js/zipslip', 'major', 'spec-main/api-session-spec.ts', 917, 7],
  ],
  [
    'review-comments/sample.json',
    'review-comments',
    1,
    ['review-bot[bot]', null, 'minor', 'src/cart.js', 7, undefined],
  ],
]

describe('what tools print', () => {
  it.each(table)(
    '%s is recognised as %s, with all of its %d problems',
    async (file, format, count, first) => {
      const report = await read(file)
      const [found] = report.findings
      expect([report.format, report.findings.length]).toEqual([format, count])
      expect([
        found?.source.name,
        found?.rule,
        found?.severity,
        found?.file,
        found?.line,
        found?.column,
      ]).toEqual(first)
      expect(report.findings.every(({ title, place_note }) => title !== '' && place_note === null)).toBe(true)
      expect(await read(file, format)).toEqual(report)
    },
  )

  it.each([
    ["src/a.ts(3,64): error TS2322: Type 'number' is not 'string'.", 'TS2322', 'major', 3, 64],
    ['a.c(4,35): warning: b is uninitialized [-Wuninitialized]', '-Wuninitialized', 'minor', 4, 35],
    ['docs/typos.txt:1: recieve ==> receive', null, 'minor', 1, undefined],
    ['docs/a.yaml:3:5: [error] too many spaces after colon (colons)', 'colons', 'major', 3, 5],
    ['ruby/a.rb:2:5: C: [Correctable] Naming/MethodName: Use snake_case.', 'Naming/MethodName', 'info', 2, 5],
    ['app/r.py:13: [W0311(bad-indentation), ] Bad indentation.', 'bad-indentation', 'minor', 13, undefined],
    [
      '/r/styles/a.css:1:20: Unknown property "colr" (property-no-unknown) [error]',
      'property-no-unknown',
      'major',
      1,
      20,
    ],
    ['[ERROR] /r/src/Cart.java:1:17: Avoid this form. [AvoidStarImport]', 'AvoidStarImport', 'major', 1, 17],
    ['src/a.go:12:17: copyLock passes lock by value (90% sure)', null, 'minor', 12, 17],
  ])('takes the line %j apart', async (line, rule, severity, at, column) => {
    const { format, findings } = await readText(`${line}\n`)
    expect([format, findings.length]).toEqual(['lines', 1])
    expect(findings[0]).toMatchObject({ rule, severity, line: at })
    expect(findings[0]?.column).toBe(column)
    expect(findings[0]?.title).not.toMatch(/^\W|\[|TS2322|colons/)
  })

  it.each([
    `src/a.js:1: x${' '.repeat(19_000)}(a`,
    `src/a.js:1: C1234:${' '.repeat(9_000)}${'(a'.repeat(4_500)}`,
    `::error${' '.repeat(9_000)}${'file=a.js,'.repeat(900)}`,
  ])('reads blanks without end in no more than their share of time: %#', async (line) => {
    await readText('src/a.js:1: x\n')
    const begunAt = performance.now()
    await readText(`${`${line}\n`.repeat(30)}${'src/a.js:1: x\n'.repeat(200)}`).catch(() => undefined)
    expect(performance.now() - begunAt).toBeLessThan(5_000)
  })

  it.each([
    '2026-01-01 12:30:11: the server has started\n',
    'Tests ran.\nNothing to see here.\nIt took long.\nsrc/a.ts:3: once\n',
    'app/report.py:1 at module level:\n        D100: Missing docstring\n',
    'https://example.org:8080 is up\n',
  ])('does not take %j for a report', async (text) => {
    await expect(readText(text)).rejects.toThrow('is no report')
  })

  it('puts the lines together that mypy folds, and reads where its findings end', async () => {
    const { findings } = await readText(
      'app/r.py:18: error: Incompatible return value type (got "int", expected\n"str")  [return-value]\n        return n\n               ^\n' +
        'app/r.py:19:7:20:9: error: Bad argument  [arg-type]\nFound 2 errors in 1 file (checked 1 source file)\n',
    )
    expect(findings).toMatchObject([
      { description: 'Incompatible return value type (got "int", expected "str")', rule: 'return-value' },
      { description: 'Bad argument', rule: 'arg-type', line: 19, end_line: 20 },
    ])
  })

  it('reads each of several failures of one case, and the places of linters that write JUnit their own way', async () => {
    const { findings, notFindings } = await readText(
      `<testsuites><testsuite name="rubocop"><testcase classname="ruby.a" name="Style/A"/>
       <testcase classname="ruby.a" name="Style/B"><failure type="Style/B" message="Style/B: one">/r/ruby/a.rb:2:9</failure>
       <failure type="Style/B" message="Style/B: two">/r/ruby/a.rb:5:9</failure></testcase></testsuite>
       <testsuite name="phpcs"><testcase name="PSR12.Files.FileHeader at /r/php/a.php (3:1)"><failure type="warning" message="No line."/></testcase></testsuite>
       <testsuite name="luacheck"><testcase name="lua/a.lua:1" classname="lua/a.lua"><failure type="W211" message="lua/a.lua:4:7: unused x"/></testcase></testsuite>
       <testsuite name="bandit"><testcase name="b" classname="app/r.py"><error type="LOW" message="weak">Location app/r.py:2</error></testcase></testsuite></testsuites>`,
    )
    expect(notFindings).toBe(1)
    expect(findings).toMatchObject([
      { title: 'Style/B: one', file: 'ruby/a.rb', line: 2 },
      { title: 'Style/B: two', file: 'ruby/a.rb', line: 5 },
      {
        title: 'No line',
        rule: 'PSR12.Files.FileHeader',
        severity: 'minor',
        file: 'php/a.php',
        line: 3,
        column: 1,
      },
      { title: 'unused x', rule: 'W211', file: 'lua/a.lua', line: 4, column: 7 },
      { severity: 'info', file: 'app/r.py', line: 2 },
    ])
  })

  it('takes the columns of rdjson and JUnit, which alone tell two unused imports of one line apart', async () => {
    const diagnostic = (column: number) => ({
      message: 'This import is unused.',
      code: { value: 'noUnusedImports' },
      location: { path: 'a.js', range: { start: { line: 1, column }, end: { line: 1, column: column + 2 } } },
    })
    const rdjson = { source: { name: 'Biome' }, diagnostics: [diagnostic(8), diagnostic(34)] }
    const { findings } = await readText(JSON.stringify(rdjson))
    expect(findings).toMatchObject([{ column: 8 }, { column: 34 }])
    const junit = await readText(
      `<testsuites><testsuite name="src/app.ts"><testcase name="a" line="1" column="10"><failure message="Unused.">line 1, col 10, Unused.</failure></testcase>
       <testcase name="a"><failure message="Unused.">line 1, col 34, Unused.</failure></testcase></testsuite></testsuites>`,
    )
    expect(junit.findings).toMatchObject([
      { file: 'src/app.ts', line: 1, column: 10 },
      { line: 1, column: 34 },
    ])
  })

  it('reads what surrounds the findings of ESLint and Ruff, and leaves out what only explains one', async () => {
    const message = { ruleId: 'eqeqeq', severity: 2, message: 'm', line: 1, column: 2 }
    const eslint = { results: [{ filePath: '/r/a.js', messages: [message] }], metadata: { rulesMeta: {} } }
    expect(await readText(JSON.stringify(eslint))).toMatchObject({
      format: 'eslint',
      findings: [{ rule: 'eqeqeq', file: 'a.js' }],
    })
    const at = { caret: { file: 'a.c', line: 7, column: 3 } }
    const gcc = [
      { kind: 'warning', option: '-Wx', message: 'after free', locations: [at], children: [] },
      { kind: 'note', message: 'freed here', locations: [at], children: [] },
    ]
    expect(await readText(JSON.stringify(gcc))).toMatchObject({
      findings: [{ rule: '-Wx' }],
      notFindings: 1,
    })
    const { findings } = await readText('nofile:0:0: information: no headers [missingIncludeSystem]\n')
    expect(findings).toMatchObject([{ file: null, rule: 'missingIncludeSystem' }])
  })

  it('says what npm says where an audit failed', async () => {
    const text = JSON.stringify({ error: { code: 'ENOLOCK', summary: 'This needs a lock file.' } })
    await expect(readText(text)).rejects.toThrow('holds no audit: npm says "This needs a lock file."')
    const silent = JSON.stringify({ message: '405', error: { summary: '', detail: '' } })
    await expect(readText(silent)).rejects.toThrow('holds no audit: npm failed, and does not say why')
  })

  it('reads objects of objects by a mapping, with the names of the members', async () => {
    const text = JSON.stringify({
      packages: { left: { text: 'old', at: 7 }, right: { text: 'bad' } },
    })
    const mapping = parseMapping(
      'list=packages{},message=text,rule=@name,file=@name,column=at',
      'the mapping',
    )
    const { findings } = await readReport(bytesOf(text), { root: '/r', sourceName: 'report', mapping })
    expect(findings).toMatchObject([
      { title: 'old', rule: 'left', file: 'left', column: 7 },
      { title: 'bad', rule: 'right', file: 'right' },
    ])
  })

  it('refuses a mapping whose list inside of the items none of them has, instead of finding nothing', async () => {
    const read = (text: string) =>
      readReport(bytesOf(text), {
        root: '/r',
        sourceName: 'report',
        mapping: parseMapping('list=files[].messages,message=text', 'the mapping'),
      })
    await expect(read('{"files":[{"warnings":[{"text":"bad"}]}]}')).rejects.toThrow(
      'holds no list at "messages" of any item',
    )
    expect((await read('{"files":[{"messages":[]},{}]}')).findings).toEqual([])
    expect((await read('{"files":[]}')).findings).toEqual([])
  })

  it('reads XML by a mapping, with attributes, texts and elements of elements', async () => {
    const text =
      '<?xml version="1.0"?><BugCollection><File path="a.java"><Bug type="NP" rank="5"><Line start="3"/><Long>is <b>null</b> here</Long></Bug></File>' +
      '<File path="b.java"><Bug type="EQ"><Line start="4"/><Line start="9"/><Long>is <![CDATA[<odd>]]></Long></Bug></File></BugCollection>'
    const mapped = (map: string) =>
      readReport(bytesOf(text), {
        root: '/r',
        sourceName: 'report',
        mapping: parseMapping(map, 'the mapping'),
      })
    const { findings } = await mapped(
      'list=BugCollection.File.Bug,message=Long,file=^path,line=Line.start,rule=type',
    )
    expect(findings).toMatchObject([
      { title: 'is here', rule: 'NP', file: 'a.java', line: 3 },
      { title: 'is <odd>', rule: 'EQ', file: 'b.java', line: null },
    ])
    await expect(mapped('list=File.Bug,message=Long')).rejects.toThrow('begins with <BugCollection>')
    await expect(mapped('message=Long')).rejects.toThrow('does not name the elements')
    await expect(mapped('list=BugCollection.File.Bug,message=Short')).rejects.toThrow('no message in item 0')
  })

  it('keeps no secret that a scanner found', async () => {
    const { findings } = await read('gitleaks/sample.json')
    expect(JSON.stringify(findings)).not.toContain('REDACTED')
    expect(findings[0]?.marks).toEqual([expect.stringContaining('fingerprint gitleaks')])
  })

  it('reads UTF-16 with a mark, as programs on Windows write it', async () => {
    const text = '\uFEFFa.c:1:2: error: bad [-Wx]\n'
    const big = Buffer.from(text, 'utf16le').swap16()
    expect((await readText(Buffer.from(text, 'utf16le'))).findings).toMatchObject([
      { file: 'a.c', line: 1, rule: '-Wx' },
    ])
    expect((await readText(big)).findings).toHaveLength(1)
  })

  it('marks the one finding whose line is no line number, and takes all others', async () => {
    const { findings } = await readText(
      JSON.stringify([
        {
          filePath: '/r/a.js',
          messages: [
            { ruleId: 'x', line: 'seven', message: 'm', severity: 2 },
            { ruleId: 'x', line: 8, message: 'm', severity: 2 },
          ],
        },
      ]),
    )
    expect(findings).toMatchObject([
      { file: 'a.js', line: null, place_note: 'the report gives no line number, but "seven"' },
      { file: 'a.js', line: 8, place_note: null },
    ])
  })

  it('refuses old SARIF with the command that upgrades it, and believes a version of 2.1.0 against the schema', async () => {
    const sarif = (version: string, schema: string) =>
      JSON.stringify({ $schema: schema, version, runs: [{ tool: { driver: { name: 't' } }, results: [] }] })
    await expect(
      readText(sarif('2.0.0-csd.2.beta.2019-01-09', 'http://json.schemastore.org/sarif-2.0.0')),
    ).rejects.toMatchObject({
      message: expect.stringContaining('SARIF 2.0.0'),
      hint: expect.stringContaining('npx @microsoft/sarif-multitool rewrite'),
    })
    await expect(readText(sarif('1.0.0', 'x'))).rejects.toMatchObject({ code: 'input_invalid' })
    expect((await readText(sarif('2.1.0', 'http://json.schemastore.org/sarif-2.0.0'))).format).toBe('sarif')
  })

  it('takes the fingerprints, ids, columns and code of SARIF', async () => {
    const result = {
      ruleId: 'R',
      message: { text: 'm' },
      guid: '11111111-2222-3333-4444-555555555555',
      fingerprints: { 'matchBasedId/v1': 'requires login' },
      partialFingerprints: { primaryLocationLineHash: '39fa2ee980eb94b0:1' },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'a.c' },
            region: { startLine: 3, startColumn: 5, snippet: { text: 'x = y' } },
          },
        },
      ],
    }
    const { findings } = await readText(
      JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 't' } }, results: [result] }] }),
    )
    expect(findings[0]).toMatchObject({
      column: 5,
      snippet: 'x = y',
      marks: [
        'fingerprint primaryLocationLineHash 39fa2ee980eb94b0:1',
        'id 11111111-2222-3333-4444-555555555555',
      ],
    })
  })
})
