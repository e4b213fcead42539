import type { CheckoutFiles } from './evidence/checkout.ts'
import type { Detection, Guess } from './evidence/detection.ts'
import { readPackage } from './toolchains/javascript/manifest.ts'

const front = /^(@angular\/core|@sveltejs\/kit|next|nuxt|preact|react|react-dom|solid-js|svelte|vue)$/
const back = /^(@hapi\/hapi|@nestjs\/core|express|fastify|hono|koa)$/
const folders = {
  FE: ['frontend', 'front-end', 'web', 'webapp', 'client', 'ui'],
  BE: ['backend', 'back-end', 'server', 'api'],
} as const
/** Files of languages that no browser runs: a folder `web` with them holds a server. */
const serverFile = /\.(py|go|java|kt|rs|rb|php|cs|scala)$/
/** Where servers of other languages keep the scripts of their pages. */
const servedScript = /^((?:.*\/)?(?:src\/main\/resources\/(?:static|public)|static|assets))\/.*\.m?[jt]s$/

/** Globs for folders that their name or dependencies show to be front or back end; file extensions decide the rest later. */
export async function detectClasses(
  checkout: CheckoutFiles,
  packages: readonly string[],
): Promise<Detection['classes']> {
  const classes: { readonly BE: Guess<string>[]; readonly FE: Guess<string>[] } = { BE: [], FE: [] }
  const top = new Set(
    checkout.files.filter((file) => file.includes('/')).map((file) => file.split('/')[0] ?? ''),
  )
  for (const folder of new Set([...packages, ...top])) {
    const guess = (await byDependencies(checkout, folder)) ?? byName(checkout, folder)
    if (guess) classes[guess.value].push({ value: `${folder}/**`, why: guess.why })
  }
  const handedOut = served(checkout, classes.FE)
  // Back end comes first: a glob around such a folder would hide it, and extensions decide the rest.
  const around = (glob: string): boolean => handedOut.some(({ value }) => value.startsWith(glob.slice(0, -2)))
  return {
    BE: classes.BE.filter(({ value }) => !around(value)),
    FE: [...classes.FE, ...handedOut],
  }
}

async function byDependencies(checkout: CheckoutFiles, folder: string): Promise<Guess<'BE' | 'FE'> | null> {
  const manifest = await readPackage(checkout, folder)
  if (!manifest || manifest === 'broken') return null
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  const why = (name: string): string => `${folder}/package.json depends on ${name}`
  const browser = names.find((name) => front.test(name))
  if (browser) return { value: 'FE', why: why(browser) }
  const server = names.find((name) => back.test(name))
  return server ? { value: 'BE', why: why(server) } : null
}

function byName(checkout: CheckoutFiles, folder: string): Guess<'BE' | 'FE'> | null {
  const name = folder.split('/').at(-1) ?? ''
  for (const value of ['FE', 'BE'] as const)
    if ((folders[value] as readonly string[]).includes(name)) {
      const isServed = checkout.files.some((file) => file.startsWith(`${folder}/`) && serverFile.test(file))
      return value === 'FE' && isServed ? null : { value, why: `a folder of the name ${name}` }
    }
  return null
}

/** A script that a server of another language hands out runs in a browser, though no package.json says so. */
function served(checkout: CheckoutFiles, known: readonly Guess<string>[]): readonly Guess<string>[] {
  if (!checkout.files.some((file) => serverFile.test(file))) return []
  const isKnown = (path: string): boolean => known.some(({ value }) => path.startsWith(value.slice(0, -2)))
  const found = new Map<string, string>()
  for (const file of checkout.files) {
    const folder = servedScript.exec(file)?.[1]
    if (folder !== undefined && !isKnown(file) && !found.has(folder)) found.set(folder, file)
  }
  return [...found].map(([folder, file]) => ({ value: `${folder}/**`, why: `a server hands out ${file}` }))
}
