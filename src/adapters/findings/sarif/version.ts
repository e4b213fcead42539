import type { ReaderContext } from '../format-reader.ts'

const convert = 'Convert it to 2.1.0 (most tools have an option for it) and import it again.'

/** Refuses every SARIF but 2.1.0: older ones give the same names other meanings. */
export function checkVersion(version: unknown, context: ReaderContext): void {
  if (version === '2.1.0') return
  if (version === undefined) throw context.fail('looks like SARIF but has no "version"', convert)
  const said = typeof version === 'string' ? version.slice(0, 40) : JSON.stringify(version).slice(0, 40)
  throw context.fail(`is SARIF ${said}; only 2.1.0 is read`, convert)
}

/** An older schema is refused at once, before its results are misread; the version decides where both are given. */
export function checkSchema(schema: unknown, context: ReaderContext): void {
  const old =
    typeof schema === 'string'
      ? /sarif-(?:schema-)?(1\.\d+\.\d+|2\.0\.0[^/]*?)(?:\.json)?$/.exec(schema)
      : null
  if (old) checkVersion(old[1], context)
}
