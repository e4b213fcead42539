import { describe, expect, it } from 'vitest'
import { TreeId } from '../../model/id.ts'
import { findReachedPackages, type PackageRunner } from '../../model/proof/import-graph.ts'
import { createImports } from './index.ts'
import { readGoImports } from './go.ts'

const tree = TreeId.parse('a'.repeat(40))
const { signal } = new AbortController()

function packagesOf(runner: PackageRunner, files: Readonly<Record<string, string>>) {
  const trees = {
    blobs: async () => new Map(Object.entries(files)),
    readMany: async (_: TreeId, paths: readonly string[]) =>
      new Map(paths.map((path) => [path, new TextEncoder().encode(files[path])])),
  }
  return createImports(trees).packagesOf(tree, runner, signal)
}

async function reached(
  runner: PackageRunner,
  files: Readonly<Record<string, string>>,
  ...changed: readonly string[]
) {
  const there = await packagesOf(runner, files)
  return there && findReachedPackages(changed, runner, [there])
}

it('reads imports of Go that stand before the first declaration, not in comments', () => {
  const source = `// func import "no/comment"
package a

import "fmt"
import x "example.org/m/x"
import (
  _ "embed" // "no/trailing"
  . "example.org/m/dot"
  /* "no/block" */
)
const text = \`import "no/text"\`
`
  expect(readGoImports(source)).toEqual(['fmt', 'example.org/m/x', 'embed', 'example.org/m/dot'])
})

describe('packages of Go', () => {
  const go = {
    'go.mod': '// module no\nmodule example.org/m // ours\n\ngo 1.19\n',
    'main.go': 'package main\nimport "example.org/m/b"\n',
    'main_test.go': 'package main\n',
    'a/a.go': 'package a\nimport "example.org/m/aa"\n',
    'a/a_test.go': 'package a\n',
    'aa/aa.go': 'package aa\n',
    'b/b.go': 'package b\nimport "example.org/m/a"\n',
    'c/c.go': 'package c\n',
    'c/c_test.go': 'package c_test\nimport "example.org/m/b"\n',
    'd/d.go': 'package d\nimport "example.org/m/c"\n',
    'd/d_test.go': 'package d\n',
    'vendor/example.org/v/v.go': 'package v\n',
  }

  it('are those with tests that load the changed one, over any number of steps, and tests alone lead no further', async () => {
    expect(await reached('go', go, 'aa/aa.go')).toEqual({ folders: ['', 'a/', 'c/'] })
    expect(await reached('go', go, 'd/d.go')).toEqual({ folders: ['d/'] })
    expect(await reached('go', go, 'a/a_test.go')).toEqual({ folders: ['a/'] })
  })

  it('are named as the runner wants them', async () => {
    const { packages = [] } = (await packagesOf('go', go)) ?? {}
    expect(packages.map(({ argument }) => argument)).toEqual(['.', './a', './aa', './b', './c', './d'])
  })

  it('cannot be told where a text is too large to be read', async () => {
    const large = `package e\nimport "example.org/m/a"\n${' '.repeat(1_000_000)}`
    expect(await packagesOf('go', { ...go, 'e/e.go': large })).toBeNull()
  })

  it('cannot be told for what ./... leaves out, or where several modules are there', async () => {
    expect(await reached('go', go, 'vendor/example.org/v/v.go')).toHaveProperty('untold')
    expect(await packagesOf('go', { ...go, 'tools/go.mod': 'module example.org/tools\n' })).toBeNull()
    expect(await packagesOf('go', { ...go, 'go.work': 'use .\n' })).toBeNull()
  })
})

describe('members of a Cargo workspace', () => {
  const cargo = {
    'Cargo.toml': `[workspace]
members = [
  "crates/*", # all
  "tool",
]
exclude = ["crates/out"]

[workspace.dependencies]
shared = { version = "1", features = [
  "x",
], path = "crates/shared" }
serde = "1"
`,
    'crates/shared/Cargo.toml': '[package]\nname = "shared"\n',
    'crates/a/Cargo.toml': '[package]\nname = "a"\n[dependencies]\nshared.workspace = true\n',
    'crates/b/Cargo.toml':
      '[package]\nname = "b"\n[target.\'cfg(unix)\'.dev-dependencies.a]\npath = "../a"\n',
    'crates/out/Cargo.toml': '[package]\nname = "out"\n[dependencies]\na = { path = "../a" }\n',
    'tool/Cargo.toml':
      '[package]\nname = "tool" # path = "../crates/a"\n[dependencies]\nserde = "1"\nlocal = { path = "local" }\n',
    'tool/local/Cargo.toml': '[package]\nname = "local"\n',
  }

  it('are those that load the changed one, over any number of steps', async () => {
    expect(await reached('cargo', cargo, 'crates/shared/src/lib.rs')).toEqual({
      folders: ['crates/a/', 'crates/b/', 'crates/shared/'],
    })
    expect(await reached('cargo', cargo, 'tool/local/src/lib.rs')).toEqual({
      folders: ['tool/', 'tool/local/'],
    })
  })

  it('are taken by the bare command only where the root is no package and names no default', async () => {
    const isByDefault = async (root: string) =>
      (await packagesOf('cargo', { ...cargo, 'Cargo.toml': root }))?.areAllByDefault
    expect(await isByDefault('[workspace]\nmembers = ["crates/*"]\n')).toBe(true)
    expect(await isByDefault('[package]\nname = "root"\n[workspace]\n')).toBe(false)
    expect(await isByDefault('[workspace]\ndefault-members = ["tool"]\n')).toBe(false)
  })

  it('cannot be told without a workspace, outside of its members, or where packages are replaced', async () => {
    expect(await packagesOf('cargo', { 'Cargo.toml': '[package]\nname = "one"\n' })).toBeNull()
    expect(await reached('cargo', cargo, 'crates/out/src/lib.rs')).toHaveProperty('untold')
    const replaced = `${cargo['Cargo.toml']}[patch.crates-io]\nserde = { path = "crates/a" }\n`
    expect(await packagesOf('cargo', { ...cargo, 'Cargo.toml': replaced })).toBeNull()
  })
})
