import type { Checkout } from './checkout.ts'
import type { Detection, Guess } from './detection.ts'
import { readPackage } from './package-json.ts'

const front = /^(@angular\/core|@sveltejs\/kit|next|nuxt|preact|react|react-dom|solid-js|svelte|vue)$/
const back = /^(@hapi\/hapi|@nestjs\/core|express|fastify|hono|koa)$/
const folders = {
  FE: ['frontend', 'front-end', 'web', 'webapp', 'client', 'ui'],
  BE: ['backend', 'back-end', 'server', 'api'],
} as const

/** Globs for folders whose name or dependencies say which end they are; the rest is told by extension later. */
export async function detectClasses(
  checkout: Checkout,
  packages: readonly string[],
): Promise<Detection['classes']> {
  const classes: { readonly BE: Guess<string>[]; readonly FE: Guess<string>[] } = { BE: [], FE: [] }
  const top = new Set(
    checkout.files.filter((file) => file.includes('/')).map((file) => file.split('/')[0] ?? ''),
  )
  for (const folder of new Set([...packages, ...top])) {
    const guess = (await byDependencies(checkout, folder)) ?? byName(folder, packages)
    if (guess) classes[guess.value].push({ value: `${folder}/**`, why: guess.why })
  }
  return classes
}

async function byDependencies(checkout: Checkout, folder: string): Promise<Guess<'BE' | 'FE'> | null> {
  const manifest = await readPackage(checkout, folder)
  if (!manifest || manifest === 'broken') return null
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  const why = (name: string): string => `${folder}/package.json depends on ${name}`
  const browser = names.find((name) => front.test(name))
  if (browser) return { value: 'FE', why: why(browser) }
  const server = names.find((name) => back.test(name))
  return server ? { value: 'BE', why: why(server) } : null
}

function byName(folder: string, packages: readonly string[]): Guess<'BE' | 'FE'> | null {
  if (folder.includes('/') && !packages.includes(folder)) return null
  const name = folder.split('/').at(-1) ?? ''
  for (const value of ['FE', 'BE'] as const)
    if ((folders[value] as readonly string[]).includes(name))
      return { value, why: `a folder of the name ${name}` }
  return null
}
