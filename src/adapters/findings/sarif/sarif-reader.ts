import { cleanText } from '../../../model/issue/finding-text.ts'
import { createJsonFields, type JsonFields } from '../json/json-fields.ts'
import { formatPath, type JsonPath, type Shape } from '../json/json-splitter.ts'
import { documentFormat, type DocumentReader } from '../reading/read-json.ts'
import type { ReaderContext, ReportReader } from '../reading/report-format.ts'
import { toFinding, type SarifRun } from './finding.ts'
import { readResult, type WrittenResult } from './result.ts'
import { readTaxonomies } from './taxonomy.ts'
import { levelsOf, readOverrides, readTool, type WrittenOverride } from './tool.ts'
import { createPlacer, readArtifact, readBases, remember, type ArtifactLocation } from './uri.ts'

/** The parts of a SARIF file that say something about findings. */
const shape: Shape = {
  fields: {
    $schema: 'take',
    version: 'take',
    inlineExternalProperties: 'take',
    runs: {
      items: {
        fields: {
          tool: 'take',
          taxonomies: 'take',
          originalUriBaseIds: 'take',
          externalPropertyFileReferences: 'take',
          artifacts: { items: 'take' },
          invocations: { items: 'take' },
          results: { items: 'take' },
        },
      },
    },
  },
}
const marks = ['runs', 'inlineExternalProperties']
/** Other tools have a version too, but not these. */
const sarifMark = /"\$schema"\s*:\s*"[^"]*sarif|"version"\s*:\s*"2\.[01]\.0/i

interface OpenRun {
  tool: unknown
  taxonomies: unknown
  bases: unknown
  hasResults: boolean
  hasFailed: boolean
  notFindings: number
  readonly overrides: WrittenOverride[]
  readonly artifacts: ArtifactLocation[]
  readonly results: (WrittenResult | null)[]
}

const openRun = (): OpenRun => ({
  tool: null,
  taxonomies: null,
  bases: null,
  hasResults: false,
  hasFailed: false,
  notFindings: 0,
  overrides: [],
  artifacts: [],
  results: [],
})

const versionHint = 'Fixpoint reads SARIF 2.1.0; check that the tool wrote that version.'
const inlineHint = 'Ask the tool for one SARIF file with all results inside.'

export const sarifReader: ReportReader = {
  recognise: ({ kind, keys, text }) =>
    kind === 'object' && (marks.some((name) => keys.includes(name)) || sarifMark.test(text.slice(0, 2_000))),
  read: documentFormat(shape, createReader),
}

/** Reads SARIF 2.1.0; results wait, cut down to what is needed, until their run's rules and file tables are known. */
function createReader(context: ReaderContext): DocumentReader {
  const incomplete: string[] = []
  let run = openRun()
  let at: { readonly path: JsonPath; readonly offset: number } = { path: [], offset: 0 }
  let version: unknown
  let schema: unknown
  let hasRuns = false
  let notFindings = 0
  const fields = createJsonFields((what) =>
    context.fail(`${what}, in ${formatPlace(at.path, at.offset)}`, versionHint),
  )

  function endRun(index: number): void {
    const resolved = resolveRun(run, context, fields)
    const { name } = resolved.source
    for (const result of takeEach(run.results)) context.add(toFinding(result, resolved))
    if (!run.hasResults) incomplete.push(`run ${index} (${name}) holds no list of results`)
    if (run.hasFailed) incomplete.push(`${name} says that its run ${index} failed`)
    notFindings += run.notFindings
    run = openRun()
  }

  return {
    take(path, value, offset) {
      at = { path, offset }
      const [part] = path
      if (part === 'runs' && version === undefined) checkSchema(schema, context)
      if (part === 'runs') takePart({ run, context, fields }, String(path[2]), value)
      else if (part === '$schema') schema = value
      else if (part === 'version') checkVersion((version = value), context)
      else if (Array.isArray(value) && value.length > 0) {
        throw context.fail('keeps results in "inlineExternalProperties"', inlineHint)
      }
    },
    leave(path) {
      if (path.length === 3 && path[2] === 'results') run.hasResults = true
      else if (path.length === 2) endRun(Number(path[1]))
      else if (path.length === 1) hasRuns = true
    },
    finish() {
      if (version === undefined) checkSchema(schema, context)
      checkVersion(version, context)
      if (!hasRuns) throw context.fail('is SARIF without "runs"', 'Ask the tool for a complete report.')
      return { notFindings, incomplete, coverage: null }
    },
  }
}

/** Each in its order; it is given up with the step to the next one. */
function* takeEach<Item>(items: (Item | null)[]): Generator<Item> {
  for (const [position, item] of items.entries()) {
    items[position] = null
    if (item !== null) yield item
  }
}

interface RunReading {
  readonly run: OpenRun
  readonly context: ReaderContext
  readonly fields: JsonFields
}

/** Takes one part of a run, in whatever order the parts come. */
function takePart({ run, context, fields }: RunReading, part: string, value: unknown): void {
  if (part === 'results') {
    const result = readResult(value, fields)
    if (result === null) run.notFindings += 1
    else {
      context.admit()
      run.results.push(result)
    }
  } else if (part === 'tool') run.tool = value
  else if (part === 'taxonomies') run.taxonomies = value
  else if (part === 'originalUriBaseIds') run.bases = value
  else if (part === 'artifacts') run.artifacts.push(readArtifact(value, fields))
  else if (part === 'invocations') {
    run.hasFailed ||= fields.object(value, 'invocation')['executionSuccessful'] === false
    run.overrides.push(...readOverrides(value, fields))
  } else if (value !== null && fields.list(fields.object(value, part), 'results').length > 0) {
    throw context.fail('keeps results in other files', inlineHint)
  }
}

/** What the tables of a run say of its results, once all of them are read. */
function resolveRun(run: OpenRun, { root, sourceName }: ReaderContext, fields: JsonFields): SarifRun {
  const nameTaxon = readTaxonomies(run.tool, run.taxonomies, fields)
  const tool = readTool(run.tool, { fallbackName: sourceName, nameTaxon }, fields)
  const files = { root, artifacts: run.artifacts, bases: readBases(run.bases, fields) }
  return {
    source: { kind: 'tool', name: tool.name },
    tool,
    levels: levelsOf(run.overrides, tool),
    nameTaxon,
    placeFile: createPlacer(files),
    nameRule: remember((id: string) => cleanText(id, 200) || null),
  }
}

const formatPlace = (path: JsonPath, offset: number): string =>
  path.length === 4 && path[2] === 'results'
    ? `run ${path[1]}, result ${path[3]} (byte ${offset})`
    : `${formatPath(path)} (byte ${offset})`

const convert =
  'Convert it with `npx @microsoft/sarif-multitool rewrite FILE --sarif-output-version Current --output NEW`, and import that.'

/** Refuses every SARIF but 2.1.0: older ones give the same names other meanings. */
function checkVersion(version: unknown, context: ReaderContext): void {
  if (version === '2.1.0') return
  if (version === undefined) throw context.fail('looks like SARIF but has no "version"', convert)
  const said = typeof version === 'string' ? version.slice(0, 40) : JSON.stringify(version).slice(0, 40)
  throw context.fail(`is SARIF ${said}; only 2.1.0 is read`, convert)
}

/** An older schema is refused at once, before its results are misread; the version decides where both are given. */
function checkSchema(schema: unknown, context: ReaderContext): void {
  const old =
    typeof schema === 'string'
      ? /sarif-(?:schema-)?(1\.\d+\.\d+|2\.0\.0[^/]*?)(?:\.json)?$/.exec(schema)
      : null
  if (old) checkVersion(old[1], context)
}
