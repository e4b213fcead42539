import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { parseMapping } from '../../src/adapters/findings/mapped/mapping.ts'
import { chooseIssues } from '../../src/app/fix/choose-issues.ts'
import { openApp, type App } from '../../src/app/open-app.ts'
import { importFindings, type Imported } from '../../src/app/review/import-findings.ts'
import { IssueStatus, type Issue } from '../../src/model/issue/issue.ts'
import { makeRepository, type FixtureRepository } from '../fixtures/repositories.ts'

const reports = join(import.meta.dirname, '../fixtures/reports')
/** The folder of the sources when the tools ran. */
const madeIn = '/home/dev/sample'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

function sampleFiles(folder = join(reports, 'sources')): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path))
  return Object.fromEntries(
    paths
      .filter((path) => statSync(path).isFile())
      .map((path) => [relative(folder, path), readFileSync(path, 'utf8')]),
  )
}

interface Sample {
  readonly repository: FixtureRepository
  readonly app: App
  import(report: string, map?: string): Promise<Imported>
  issues(): Promise<readonly Issue[]>
}

async function openSample(files = sampleFiles()): Promise<Sample> {
  const repository = makeRepository(files)
  const app = await openApp({
    cwd: repository.root,
    env: { ...repository.env, FIXPOINT_HOME: repository.home },
  })
  opened.push({
    async close() {
      await app.close()
      repository.dispose()
    },
  })
  return {
    repository,
    app,
    import: (report, map) =>
      importFindings(app, {
        file: join(reports, report),
        format: null,
        root: madeIn,
        stdin: process.stdin,
        ...(map !== undefined && { mapping: parseMapping(map, 'the mapping') }),
      }),
    issues: () => chooseIssues(app, { all: true, statuses: IssueStatus.options }),
  }
}

const claims = (issues: readonly Issue[]): readonly string[] =>
  issues.map(({ file, line, severity, rule }) => `${file}:${line} ${severity} ${rule}`).toSorted()

interface Tool {
  readonly report: string
  readonly format: string
  readonly map?: string
  readonly found: readonly string[]
}

const eslintFound = [
  'src/cart.js:14 major no-debugger',
  'src/cart.js:16 major eqeqeq',
  'src/cart.js:16 major no-undef',
  'src/cart.js:3 minor no-var',
  'src/cart.js:6 major no-unused-vars',
  'src/cart.js:6 minor prefer-const',
  'src/cart.js:7 major eqeqeq',
  'src/über größe.js:2 major no-cond-assign',
]
const ruffRules = [
  '1 major F401',
  '11 major S307',
  '15 major F841',
  '16 major E711',
  '18 major S602',
  '5 major B006',
  '8 major E722',
]
const oxlintRules = [
  'src/cart.js:14 minor eslint(no-debugger)',
  'src/cart.js:6 minor eslint(no-unused-vars)',
  'src/über größe.js:2 minor eslint(no-cond-assign)',
  'src/über größe.js:2 minor eslint(no-constant-condition)',
]
const shellcheckMap =
  'list=comments,file=file,line=line,end_line=endLine,message=message,severity=level,rule=SC{code},source=shellcheck'

const tools: readonly Tool[] = [
  { report: 'eslint/report.json', format: 'eslint', found: eslintFound },
  { report: 'eslint/report.sarif', format: 'sarif', found: eslintFound },
  {
    report: 'ruff/report.rdjson.json',
    format: 'rdjson',
    found: ruffRules.map((rule) => `app/report.py:${rule}`.replace('major', 'minor')),
  },
  { report: 'ruff/report.sarif', format: 'sarif', found: ruffRules.map((rule) => `app/report.py:${rule}`) },
  {
    report: 'ruff/junit.xml',
    format: 'junit',
    found: ruffRules.map((rule) => `app/report.py:${rule.replace(/(\w+)$/, 'org.ruff.$1')}`),
  },
  { report: 'oxlint/report.sarif', format: 'sarif', found: oxlintRules },
  {
    report: 'oxlint/junit.xml',
    format: 'junit',
    found: oxlintRules.map((rule) => rule.replace('minor', 'major')),
  },
  {
    report: 'oxlint/report.json',
    format: 'mapped',
    map: 'list=diagnostics,file=filename,line=labels[0].span.line,message=message,severity=severity,rule=code,source=oxlint',
    found: oxlintRules,
  },
  {
    report: 'biome/report.rdjson.json',
    format: 'rdjson',
    found: [
      'src/cart.js:16 major lint/suspicious/noDoubleEquals',
      'src/cart.js:3 major lint/correctness/noInnerDeclarations',
      'src/cart.js:6 minor lint/correctness/noUnusedVariables',
      'src/cart.js:6 minor lint/style/useConst',
      'src/cart.js:7 major lint/suspicious/noDoubleEquals',
      'src/cart.js:14 major lint/suspicious/noDebugger',
      'src/über größe.js:2 major lint/correctness/noConstantCondition',
      'src/über größe.js:2 major lint/suspicious/noAssignInExpressions',
    ].toSorted(),
  },
  {
    report: 'shellcheck/report.json',
    format: 'mapped',
    map: shellcheckMap,
    found: [
      'scripts/deploy.sh:3 major SC2045',
      'scripts/deploy.sh:4 info SC2086',
      'scripts/deploy.sh:6 info SC2086',
      'scripts/deploy.sh:6 minor SC2164',
      'scripts/deploy.sh:7 info SC2181',
      'scripts/deploy.sh:7 minor SC3014',
      'scripts/deploy.sh:8 info SC2006',
    ],
  },
  {
    report: 'stylelint/report.json',
    format: 'mapped',
    map: 'list=[].warnings,file=^source,line=line,end_line=endLine,message=text,severity=severity,rule=rule,source=stylelint',
    found: [
      'styles/main.css:3 major property-no-unknown',
      'styles/main.css:4 major length-zero-no-unit',
      'styles/main.css:6 major no-duplicate-selectors',
      'styles/main.css:9 minor block-no-empty',
    ],
  },
  {
    report: 'bandit/report.json',
    format: 'mapped',
    map: 'list=results,file=filename,line=line_number,end_line=line_range[-1],message=issue_text,severity=issue_severity,rule=test_id,source=bandit,reference=more_info',
    found: ['app/report.py:11 minor B307', 'app/report.py:18 major B602', 'app/report.py:2 info B404'],
  },
  {
    report: 'mypy/report.jsonl',
    format: 'mapped',
    map: 'file=file,line=line,end_line=end_line,message=message,severity=severity,rule=code,source=mypy',
    found: ['app/report.py:22 major return-value'],
  },
  {
    report: 'pylint/report.json',
    format: 'mapped',
    map: 'file=path,line=line,end_line=endLine,message=message,severity=type,rule=symbol,source=pylint,severities.convention=info,severities.refactor=info',
    found: [
      'app/report.py:1 info missing-module-docstring',
      'app/report.py:1 minor unused-import',
      'app/report.py:11 minor eval-used',
      'app/report.py:14 info missing-function-docstring',
      'app/report.py:15 minor unused-variable',
      'app/report.py:16 info singleton-comparison',
      'app/report.py:21 info missing-function-docstring',
      'app/report.py:5 info missing-function-docstring',
      'app/report.py:5 minor dangerous-default-value',
      'app/report.py:7 info consider-using-with',
      'app/report.py:7 minor unspecified-encoding',
      'app/report.py:8 minor bare-except',
    ],
  },
]

describe('a report of a real tool', () => {
  it.each(tools)(
    'is read with its places, severities and rules: $report',
    async ({ report, format, map, found }) => {
      const sample = await openSample()
      const first = await sample.import(report, map)
      expect({ format: first.format, changed: first.changed }).toEqual({ format, changed: 0 })
      const issues = await sample.issues()
      expect(claims(issues)).toEqual(found)
      expect(issues.filter(({ anchor }) => anchor !== 'exact')).toEqual([])
      const again = await sample.import(report, map)
      expect({ created: again.created, changed: again.changed }).toEqual({ created: 0, changed: 0 })
    },
  )

  it('says what its source suppresses, and keeps it out of the way', async () => {
    const sample = await openSample()
    await sample.import('eslint/report.json')
    const [ignored] = (await sample.issues()).filter(({ status }) => status === 'ignored')
    expect(ignored).toMatchObject({ rule: 'no-undef', ignored: { reason: 'set by the page' } })
  })
})

describe('a report about code that moved', () => {
  /** The report of a tool after two lines were added at the top of every file and one file was renamed. */
  const moveText = (text: string): string =>
    text
      .replaceAll('src/cart.js', 'src/basket.js')
      .replaceAll(
        /"(line|endLine)":(\d+)/g,
        (_, name: string, line: string) => `"${name}":${Number(line) + 2}`,
      )

  it('finds the same issues, in a file of another name too', async () => {
    const files = sampleFiles()
    const sample = await openSample(files)
    await sample.import('eslint/report.json')
    const before = await sample.issues()
    sample.repository.git('mv', 'src/cart.js', 'src/basket.js')
    sample.repository.write({
      'src/basket.js': `// A basket\n\n${files['src/cart.js']}`,
      'src/über größe.js': `// A size\n\n${files['src/über größe.js']}`,
    })
    sample.repository.commitAll('move')
    const moved = join(sample.repository.folder, 'moved.json')
    writeFileSync(moved, moveText(readFileSync(join(reports, 'eslint/report.json'), 'utf8')))
    const request = { file: moved, format: null, root: madeIn, stdin: process.stdin }
    expect(await importFindings(sample.app, request)).toMatchObject({ created: 0, changed: 8 })
    const after = await sample.issues()
    const expected = before.map((issue) => ({
      id: issue.id,
      file: issue.file?.replace('cart', 'basket'),
      line: (issue.line ?? 0) + 2,
    }))
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
    expect(after.map(({ id, file, line }) => ({ id, file, line })).toSorted(byId)).toEqual(
      expected.toSorted(byId),
    )
    expect(await importFindings(sample.app, request)).toMatchObject({ created: 0, changed: 0 })
  })
})

describe('what a person dismissed', () => {
  it('stays dismissed, with the reason: in moved lines, in a renamed file, in another report and from another tool', async () => {
    const files = sampleFiles()
    const sample = await openSample(files)
    await sample.import('eslint/report.json')
    const known = (await sample.issues()).find(({ rule }) => rule === 'no-debugger')
    const ignored = { reason: 'a trap for the demo', until: '2999-01-01' }
    await sample.app.store.issues.change(known!.id, 'person', (one) => ({
      ...one,
      status: 'ignored',
      ignored,
    }))
    const expectDismissed = async (more: object) => {
      const ofRule = (await sample.issues()).filter(({ title }) => /debugger/i.test(title))
      expect(ofRule).toEqual([
        expect.objectContaining({ id: known?.id, status: 'ignored', ignored, ...more }),
      ])
    }
    await sample.import('eslint/report.sarif')
    await expectDismissed({ file: 'src/cart.js', line: known?.line })
    sample.repository.git('mv', 'src/cart.js', 'src/basket.js')
    sample.repository.write({ 'src/basket.js': `// A basket\n\n${files['src/cart.js']}` })
    sample.repository.commitAll('move')
    const line = (known?.line ?? 0) + 2
    const report = (source: string, finding: object) => {
      const file = join(sample.repository.folder, `${source}.json`)
      const findings = [{ file: 'src/basket.js', line, severity: 'critical', ...finding }]
      writeFileSync(file, JSON.stringify({ schema: 'fixpoint.findings.v1', source, findings }))
      return importFindings(sample.app, { file, format: null, stdin: process.stdin })
    }
    await report('ESLint', { rule: 'no-debugger', title: known?.title })
    await expectDismissed({ file: 'src/basket.js', line })
    const said = { rule: 'noDebugger', title: `${known?.title} here`, description: 'It stops the page.' }
    expect(await report('biome', said)).toMatchObject({ created: 0 })
    await expectDismissed({
      flagged_by: expect.arrayContaining(['biome']),
      description: expect.stringContaining('biome: It stops the page.'),
    })
  })
})

describe('how a report comes', () => {
  const read = (sample: Sample, bytes: Uint8Array) =>
    importFindings(sample.app, { file: '-', format: null, root: madeIn, stdin: Readable.from([bytes]) })

  it('may be packed with gzip, and may come from standard input', async () => {
    const sample = await openSample()
    const bytes = gzipSync(readFileSync(join(reports, 'eslint/report.sarif')))
    expect(await read(sample, bytes)).toMatchObject({ format: 'sarif', created: 8 })
    expect(await read(sample, gzipSync(readFileSync(join(reports, 'ruff/junit.xml'))))).toMatchObject({
      format: 'junit',
      created: 7,
    })
  })

  it('is refused as a whole when it is a bomb, damaged, or packed twice', async () => {
    const sample = await openSample()
    const bomb = gzipSync(Buffer.concat([Buffer.from(`{"x":"`), Buffer.alloc(80_000_000, 0x61)]))
    await expect(read(sample, bomb)).rejects.toThrow('unpacks to more than 250 times its size')
    await expect(read(sample, bomb.subarray(0, 2_000))).rejects.toThrow('is compressed, and damaged')
    await expect(read(sample, gzipSync(gzipSync('{}')))).rejects.toThrow('is compressed twice')
    expect(await sample.issues()).toEqual([])
  })
})

describe('issues that a report no longer names', () => {
  it('are stale, with why, when their code is gone, and open again when it is back', async () => {
    const files = sampleFiles()
    const sample = await openSample(files)
    await sample.import('eslint/report.json')
    const { import: readAgain } = sample
    sample.repository.write({ 'src/cart.js': files['src/cart.js']?.replace('  debugger\n', '') ?? '' })
    sample.repository.git('rm', '-q', 'src/über größe.js')
    sample.repository.commitAll('remove')
    expect(await readAgain('mypy/report.jsonl', 'file=file,line=line,message=message')).toMatchObject({
      stale: 2,
    })
    const stale = (await sample.issues()).filter(({ anchor }) => anchor === 'stale')
    expect(
      stale.map(({ rule, status, resolution_note: note }) => ({ rule, status, note: note?.slice(0, 50) })),
    ).toEqual(
      [
        { rule: 'no-debugger', status: 'open', note: 'stale: its code is not in src/cart.js at ' },
        { rule: 'no-cond-assign', status: 'open', note: 'stale: src/über größe.js is not there at ' },
      ].map(({ note, ...rest }) => ({ ...rest, note: expect.stringContaining(note) })),
    )
    sample.repository.write(files)
    sample.repository.commitAll('back')
    await readAgain('eslint/report.json')
    expect((await sample.issues()).filter(({ anchor }) => anchor === 'stale')).toEqual([])
  })

  it('name the folder in which the tool ran, where its paths begin there, and are placed from it', async () => {
    const { app, repository } = await openSample({
      'src/shop/cart.py': 'import os\n',
      'src/shop/tax.py': 'import re\n',
    })
    const report = join(repository.home, 'flake8.txt')
    writeFileSync(
      report,
      "shop/cart.py:1:1: F401 'os' imported but unused\nshop/tax.py:1:1: F401 're' imported but unused\n",
    )
    const request = { file: report, format: null, stdin: process.stdin }
    const { elsewhere } = await importFindings(app, request)
    expect(elsewhere).toEqual({ findings: 2, example: 'shop/cart.py', folder: 'src' })
    const again = await importFindings(app, { ...request, root: join(repository.root, 'src') })
    expect(again).toMatchObject({ elsewhere: null, findings: 2 })
    const { issues } = await app.store.issues.list({ repositoryId: app.repository.id, limit: 10 })
    expect(issues.filter(({ anchor }) => anchor === 'exact').map(({ file }) => file)).toEqual([
      'src/shop/cart.py',
      'src/shop/tax.py',
    ])
  })

  it('are open again when they were ignored until a day that is over', async () => {
    const sample = await openSample()
    await sample.import('eslint/report.json')
    const [issue] = await sample.issues()
    await sample.app.store.issues.change(issue!.id, 'person', (one) => ({
      ...one,
      status: 'ignored',
      ignored: { reason: 'later', until: '2020-01-01' },
    }))
    await sample.import('mypy/report.jsonl', 'file=file,line=line,message=message')
    expect((await sample.issues()).find(({ id }) => id === issue?.id)).toMatchObject({
      status: 'open',
      ignored: null,
    })
  })
})
