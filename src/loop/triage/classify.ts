import picomatch from 'picomatch'
import type { IssueClass } from '../../model/issue/issue.ts'

export interface ClassRules {
  /** Globs of the configuration; they come before everything else. */
  readonly classes: Readonly<Partial<Record<IssueClass, readonly string[]>>>
  /** Whether the nearest package.json above the path depends on something that runs in a browser. */
  readonly hasBrowserDependency: (path: string) => boolean
}

const endings = (list: string): ReadonlySet<string> => new Set(list.split(' '))
const backEnd = endings(
  'py pyi go java rb php rs c h cc cpp cxx hpp cs kt kts scala swift m mm ex exs erl hs clj lua pl pm r jl dart zig nim sql sh bash ps1 groovy fs vb proto',
)
const frontEnd = endings('tsx jsx css scss sass less styl vue svelte astro html htm')
/** Front end only where a browser is in play. */
const script = endings('ts js mjs cjs mts cts')

/** Sorts paths into back end, front end and general: configured globs, then extension, then package. */
export function createClassifier(rules: ClassRules): (path: string | null) => IssueClass {
  const matchers = (['BE', 'FE', 'GEN'] as const).map((issueClass) => {
    const globs = rules.classes[issueClass] ?? []
    const matches = globs.length > 0 ? picomatch([...globs], { dot: true }) : () => false
    return { issueClass, matches }
  })
  const classify = (path: string | null): IssueClass => {
    if (path === null) return 'GEN'
    const configured = matchers.find(({ matches }) => matches(path))
    return configured?.issueClass ?? classByName(path, rules.hasBrowserDependency)
  }
  // Findings of one file come one after the other.
  let last = { path: null as string | null, issueClass: classify(null) }
  return (path) => {
    if (path !== last.path) last = { path, issueClass: classify(path) }
    return last.issueClass
  }
}

/** The class of one path; to sort many, make one classifier. */
export const classOf = (path: string | null, rules: ClassRules): IssueClass => createClassifier(rules)(path)

function classByName(path: string, hasBrowserDependency: (path: string) => boolean): IssueClass {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  if (backEnd.has(ending)) return 'BE'
  if (frontEnd.has(ending)) return 'FE'
  if (script.has(ending)) return hasBrowserDependency(path) ? 'FE' : 'BE'
  return 'GEN'
}

const browserPackages = new Set(
  (
    'react react-dom react-native vue svelte next nuxt preact solid-js astro lit lit-element @angular/core @builder.io/qwik ' +
    'ember-source gatsby @remix-run/react @sveltejs/kit alpinejs backbone jquery mithril inferno stimulus @hotwired/stimulus ' +
    'htmx.org @stencil/core knockout riot marko @vue/runtime-dom react-router-dom three d3 bootstrap expo'
  ).split(' '),
)
const dependencyFields = ['dependencies', 'peerDependencies', 'devDependencies'] as const
const entryFields = ['main', 'module', 'exports', 'bin'] as const

/** Whether a package depends on a browser library; an unreadable package.json says no. */
export function isBrowserPackage(packageJsonText: string): boolean {
  const manifest = parseManifest(packageJsonText)
  // What a published package is only tested with, its users never get; an application names all there.
  const isPublished = manifest['private'] !== true && entryFields.some((field) => field in manifest)
  return dependencyFields.some((field) => {
    if (isPublished && field === 'devDependencies') return false
    const dependencies = manifest[field]
    if (typeof dependencies !== 'object' || dependencies === null) return false
    return Object.keys(dependencies).some((name) => browserPackages.has(name))
  })
}

function parseManifest(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}
