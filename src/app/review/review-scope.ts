import { createClassifier } from '../../loop/triage/classify.ts'
import type { Trees } from '../../loop/ports.ts'
import type { PromptName } from '../../loop/prompt-texts.ts'
import type { ReviewRequest } from '../../loop/review/ask-reviewer.ts'
import { Fault } from '../../model/fault.ts'
import { isWithin } from '../../model/repository-path.ts'
import { resolveBase } from '../resolve-base.ts'
import type { App } from '../open-app.ts'

/** What a person wants to have looked at. */
export interface ReviewScope {
  readonly paths: readonly string[]
  /** Only what changed since this revision. */
  readonly base?: string
  /** Only what is staged, or everything that is not committed yet. */
  readonly pending?: 'staged' | 'uncommitted'
  /** The revision to look at; HEAD without it. */
  readonly head?: string
  /** A file or folder of specifications. */
  readonly spec?: string
}

/** What is looked at, as a person would say it. */
export function describeScope({ paths, base, pending }: ReviewScope): string {
  const parts = [
    ...(pending ? [pending === 'staged' ? 'what is staged' : 'what is not committed yet'] : []),
    ...(base === undefined ? [] : [`what changed since ${base}`]),
    ...(paths.length > 0 ? [paths.join(', ')] : []),
  ]
  return parts.join(' in ') || 'the whole repository'
}

type Resolved = Pick<ReviewRequest, 'revision' | 'paths' | 'changed' | 'spec' | 'experts'>

const maxDiff = 4 * 1024 * 1024
const maxSpec = 200_000

/** The revision, the changes and the specification that a scope means. */
export async function resolveScope(app: App, scope: ReviewScope): Promise<Resolved> {
  const ports = await app.ports()
  const head = await resolveBase(app, scope.head)
  const tree = scope.pending ? await ports.checkout.snapshot(scope.pending) : head.tree
  const revision = { commit: head.commit, tree }
  const files = [...(await ports.trees.list(tree))]
  requirePaths(scope.paths, files)
  const changed = await changesOf(app, scope, revision)
  return {
    revision,
    paths: scope.paths,
    changed,
    spec: scope.spec === undefined ? null : await readSpec(scope.spec, tree, ports.trees),
    experts: expertsFor(app, scope, changed?.files ?? files),
  }
}

/** Refuses paths that nothing is at: the review would silently be smaller than asked for. */
function requirePaths(paths: readonly string[], files: readonly string[]): void {
  const missing = paths.filter((path) => !files.some((file) => isWithin(file, path)))
  if (missing.length > 0)
    throw new Fault('input_invalid', `nothing is at ${missing.join(', ')} in the reviewed revision`, {
      hint: 'Give files and folders that are committed, or add --uncommitted.',
    })
}

async function changesOf(
  app: App,
  { base, pending }: ReviewScope,
  revision: Resolved['revision'],
): Promise<Resolved['changed']> {
  if (base === undefined && !pending) return null
  const { trees } = await app.ports()
  const other = await resolveBase(app, base)
  const shared = base === undefined ? other.commit : await trees.mergeBase(other.commit, revision.commit)
  const from = shared === null ? other : await resolveBase(app, shared)
  const files = await trees.changes(from.tree, revision.tree)
  return {
    base: base ?? 'HEAD',
    diff: await trees.diff(from.tree, revision.tree, maxDiff),
    files: files.filter(({ status }) => status !== 'deleted').map(({ path }) => path),
  }
}

async function readSpec(
  spec: string,
  tree: Resolved['revision']['tree'],
  trees: Trees,
): Promise<NonNullable<Resolved['spec']>> {
  const folder = spec.replace(/\/+$/, '')
  const paths = [...(await trees.list(tree))].filter((path) => path === folder || isWithin(path, folder))
  if (paths.length === 0)
    throw new Fault('input_invalid', `there is no specification at "${spec}" in the reviewed revision`, {
      hint: 'Give a file or folder of the repository that is committed.',
    })
  const texts = await trees.readMany(tree, paths)
  const text = [...texts]
    .map(([path, bytes]) => `--- ${path}\n${new TextDecoder().decode(bytes)}`)
    .join('\n\n')
  return { name: folder, text: text.slice(0, maxSpec) }
}

/** Two experts for each class that occurs among the files, and one for the specification. */
function expertsFor(app: App, { paths, spec }: ReviewScope, files: readonly string[]): readonly PromptName[] {
  const classify = createClassifier({
    classes: app.loaded.config.classes,
    hasBrowserDependency: () => false,
  })
  const wanted = files.filter((file) => paths.length === 0 || paths.some((path) => isWithin(file, path)))
  const classes = new Set(wanted.map((file) => classify(file)))
  return [
    ...(classes.has('BE') ? (['reviewer_be_architecture', 'reviewer_be_quality'] as const) : []),
    ...(classes.has('FE') ? (['reviewer_fe_architecture', 'reviewer_fe_quality'] as const) : []),
    ...(spec === undefined ? [] : (['reviewer_spec'] as const)),
  ]
}
