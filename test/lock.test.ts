import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

interface LockedPackage {
  readonly version?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

interface PackageFile {
  readonly engines: { readonly node: string }
  readonly devEngines: { readonly runtime: { readonly name: string; readonly version: string } }
}

test.each(['package-lock.json', 'test/agent-clis/package-lock.json'])(
  '%s says of no dependency which Node it wants, since the checkout brings the Node that runs it',
  (file) => {
    const { packages } = JSON.parse(read(file)) as { readonly packages: Readonly<Record<string, object>> }
    const picky = Object.entries(packages).filter(
      ([place, entry]) => place.includes('node_modules/') && 'engines' in entry,
    )
    expect(picky.map(([place]) => place)).toEqual([])
  },
)

test('package.json and the guides name the same versions of Node for a checkout and for the package', () => {
  const { engines, devEngines } = JSON.parse(read('package.json')) as PackageFile
  expect(devEngines.runtime).toMatchObject({ name: 'node', version: '>=20' })
  expect(engines.node).toBe('>=22.13')
  for (const file of ['README.md', 'docs/guide/getting-started.md', 'CONTRIBUTING.md'])
    expect(read(file), file).toContain('Node 20 or newer')
  expect(read('docs/guide/library.md')).toContain('Node 22.13 or newer')
})

test.each(['package-lock.json', 'test/agent-clis/package-lock.json'])(
  '%s holds every platform package in the very version that is wanted, also where two versions of its owner are installed',
  (file) => {
    const { packages } = JSON.parse(read(file)) as {
      readonly packages: Readonly<Record<string, LockedPackage>>
    }
    const lacking = Object.entries(packages).flatMap(([owner, { optionalDependencies = {} }]) =>
      Object.entries(optionalDependencies)
        .filter(([, version]) => /^\d/.test(version))
        .filter(([name, version]) => {
          const folder = owner.slice(0, owner.lastIndexOf('node_modules/'))
          const places = [
            `${owner}/node_modules/${name}`,
            `${folder}node_modules/${name}`,
            `node_modules/${name}`,
          ]
          return !places.some((place) => packages[place]?.version === version)
        })
        .map(([name]) => `${owner}: ${name}`),
    )
    expect(lacking).toEqual([])
  },
)
