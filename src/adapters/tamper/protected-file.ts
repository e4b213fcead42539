import type { FileChange } from './markers/tampering.ts'
import { type PathKind, pathKind } from '../../model/path-kind.ts'

const words: Readonly<Record<Exclude<PathKind, 'source' | 'test' | 'snapshot' | 'lockfile'>, string>> = {
  config: 'it configures tests, checks or the build',
  manifest: 'its scripts, entries, test, lint or build settings were changed',
  ci: 'it belongs to continuous integration',
  agent: 'it instructs or configures agents',
  fixpoint: 'it configures Fixpoint',
  environment: 'it holds environment settings',
  git: 'it configures git',
}

/** What is guarded beside the built-in list, and why; null where nothing speaks against a change. */
export interface Guard {
  readonly ofPath: (path: string) => string | null
  readonly ofLock: (change: FileChange) => string | null
  /** What the finding says: a fix may have to ask what it is about. */
  readonly finding: string
}

/** Why a change touches a protected file, or null when it does not. Both ends of a rename count. */
export function protectedReason(change: FileChange, guard: Guard): string | null {
  for (const path of new Set([change.path, change.oldPath ?? change.path])) {
    const guarded = guard.ofPath(path)
    if (guarded !== null) return guarded
    const kind = pathKind(path)
    if (kind === 'source' || kind === 'test' || kind === 'snapshot') continue
    if (kind === 'lockfile') return guard.ofLock(change)
    if (kind !== 'manifest' || isManifestTouched(change)) return words[kind]
  }
  return null
}

function isManifestTouched({ path, status, before, after }: FileChange): boolean {
  if (status !== 'added' && status !== 'modified') return true
  if ((before === null && status !== 'added') || after === null) return true
  const differs = path.toLowerCase().endsWith('.json') ? hasOtherSettings : hasOtherSections
  return differs(before ?? '', after)
}

/** Sections of package.json that decide what a check runs. */
const settings = [
  'scripts jest vitest mocha ava nyc c8 tap xo standard eslintConfig eslintIgnore prettier stylelint',
  'lint-staged husky simple-git-hooks pre-commit babel stryker wireit overrides resolutions pnpm type imports',
  'workspaces allowScripts',
].flatMap((names) => names.split(' '))

function hasOtherSettings(before: string, after: string): boolean {
  const [old, now] = [parseObject(before === '' ? '{}' : before), parseObject(after)]
  if (!old || !now) return true
  return settings.some((name) => canonical(old[name]) !== canonical(now[name])) || leadsElsewhere(old, now)
}

type Manifest = Readonly<Record<string, unknown>>

/** Whether what was loaded by the package's name may be another file now; more ways in lead nobody elsewhere. */
function leadsElsewhere(old: Manifest, now: Manifest): boolean {
  if (['name', 'main', 'module'].some((name) => canonical(old[name]) !== canonical(now[name]))) return true
  const [from, to] = [waysIn(old['exports']), waysIn(now['exports'])]
  if (old['exports'] === undefined) return now['exports'] !== undefined
  return Object.entries(from).some(([way, target]) => canonical(to[way]) !== canonical(target))
}

const waysIn = (exports: unknown): Manifest =>
  typeof exports === 'object' && exports !== null && Object.keys(exports).every((key) => key.startsWith('.'))
    ? { ...exports }
    : { '.': exports }

function parseObject(text: string): Manifest | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}

/** Order of keys does not count. */
function canonical(value: unknown): string {
  const sorted = (_: string, each: unknown): unknown =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each
  return JSON.stringify(value, sorted) ?? ''
}

const dependencySection = /^(?:target\..*\.|workspace\.)?(?:dev-|build-)?dependencies(?:\.|$)|^features$/

/** Whether anything but the dependencies of a Cargo.toml changed. */
const hasOtherSections = (before: string, after: string): boolean =>
  ownSettings(before) !== ownSettings(after)

function ownSettings(source: string): string {
  let isDependency = false
  const kept = source.split('\n').filter((line) => {
    const section = /^\s*\[{1,2}([^\]\n]{1,300})\]/.exec(line)?.[1]?.trim()
    if (section !== undefined) isDependency = dependencySection.test(section)
    return !isDependency && line.trim() !== ''
  })
  return kept
    .map((line) => line.trim())
    .toSorted()
    .join('\n')
}
