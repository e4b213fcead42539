import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { installedRunners } from '../../bench/gate/installed-runners.ts'
import { makeProject, type Project } from '../fixtures/project.ts'

const projects: Project[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const project of projects.splice(0)) await project.close()
})

interface Scene {
  /** The program without which the scene cannot be played, and how it is asked whether it is there. */
  readonly needs: readonly [string, ...string[]]
  readonly verify: string
  readonly files: Readonly<Record<string, string>>
  /** The file with the finding: `wrong` in it is to become `right`. */
  readonly file: string
  readonly reached: string
  /** How the runner names the tests of one of the four in its output. */
  readonly named: (name: string) => string | RegExp
  /** Where its programs are, if not on the path of the tests. */
  readonly programs?: () => string
  /** The packages that the project is set up with, if not our own. */
  readonly packages?: string
}

const names = ['a', 'b', 'c', 'd']
const filesOf = (make: (name: string) => Readonly<Record<string, string>>) =>
  Object.assign({}, ...names.map(make)) as Readonly<Record<string, string>>

const titleOf = (name: string): string => `${name} has a word`

/** Modules as require() takes them, each with a file of tests. */
const required = (test: (name: string, body: string) => string) =>
  filesOf((name) => ({
    'package.json': '{}',
    [`src/${name}.js`]: `exports.word = 'wrong'\n`,
    [`test/${name}.test.js`]: `const { word } = require('../src/${name}.js')\n${test(titleOf(name), "if (word === '') throw new Error(word)")}\n`,
  }))

const scenes: Readonly<Record<string, Scene>> = {
  'node:test': {
    needs: ['node', '--version'],
    verify: 'node --test',
    files: required((title, body) => `require('node:test')('${title}', () => { ${body} })`),
    file: 'src/a.js',
    reached: '1 file of tests',
    named: titleOf,
  },
  jest: {
    needs: ['jest', '--version'],
    verify: 'npx jest --verbose',
    files: required((title, body) => `test('${title}', () => { ${body} })`),
    file: 'src/a.js',
    reached: '1 file of tests',
    named: titleOf,
    packages: installedRunners,
  },
  mocha: {
    needs: ['mocha', '--version'],
    verify: 'npx mocha',
    files: required((title, body) => `it('${title}', () => { ${body} })`),
    file: 'src/a.js',
    reached: '1 file of tests',
    named: titleOf,
    packages: installedRunners,
  },
  vitest: {
    needs: ['vitest', '--version'],
    verify: 'npx vitest run',
    files: filesOf((name) => ({
      [`src/${name}.mjs`]: `export const word = 'wrong'\n`,
      [`test/${name}.test.mjs`]: `import { test } from 'vitest'\nimport { word } from '../src/${name}.mjs'\ntest('${name} has a word', () => { if (word === '') throw new Error(word) })\n`,
    })),
    file: 'src/a.mjs',
    reached: '1 file of tests',
    named: (name) => `test/${name}.test.mjs`,
  },
  pytest: {
    needs: ['python3', '-m', 'pytest', '--version'],
    verify: 'python3 -m pytest -v',
    files: filesOf((name) => ({
      [`pkg/${name}.py`]: `WORD = 'wrong'\n`,
      'pkg/__init__.py': '',
      'conftest.py': '',
      [`tests/test_${name}.py`]: `from pkg.${name} import WORD\n\n\ndef test_${name}_has_a_word():\n    assert WORD != ''\n`,
    })),
    file: 'pkg/a.py',
    reached: '1 file of tests',
    named: (name) => `test_${name}_has_a_word`,
  },
  go: {
    needs: ['go', 'version'],
    verify: 'go test ./...',
    files: {
      'go.mod': 'module example.org/words\n\ngo 1.18\n',
      ...filesOf((name) => ({
        [`${name}/${name}.go`]:
          name === 'b'
            ? 'package b\n\nimport "example.org/words/a"\n\nconst Word = a.Word\n'
            : `package ${name}\n\nconst Word = "wrong"\n`,
        [`${name}/${name}_test.go`]: `package ${name}\n\nimport "testing"\n\nfunc TestWord(t *testing.T) {\n\tif Word == "" {\n\t\tt.Fatal("empty")\n\t}\n}\n`,
      })),
    },
    file: 'a/a.go',
    reached: '2 packages',
    named: (name) => `example.org/words/${name}`,
  },
  cargo: {
    needs: ['cargo', '--version'],
    verify: 'cargo test --workspace --offline',
    files: {
      'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\nresolver = "2"\n',
      ...filesOf((name) => ({
        [`crates/${name}/Cargo.toml`]: `[package]\nname = "${name}"\nversion = "0.1.0"\nedition = "2021"\n[lib]\ndoctest = false\n${name === 'b' ? '[dependencies]\na = { path = "../a" }\n' : ''}`,
        [`crates/${name}/src/lib.rs`]: `pub const WORD: &str = "wrong";\n#[test]\nfn has_a_word() {\n    assert_ne!(WORD, "");\n}\n`,
      })),
    },
    file: 'crates/a/src/lib.rs',
    reached: '2 packages',
    named: (name) => new RegExp(`deps/${name}-[0-9a-f]+`),
    // Those on the path of a developer look into the developer's HOME for the real ones.
    programs: () =>
      join(spawnSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8' }).stdout.trim(), 'bin'),
  },
}

/** What the runners of JavaScript are installed in. */
const installed = join(import.meta.dirname, '../../node_modules')

const isThere = ({ needs: [program, ...words], packages = installed }: Scene): boolean =>
  [program, join(packages, '.bin', program)].some((each) => spawnSync(each, words).status === 0)

for (const [name, scene] of Object.entries(scenes))
  it(`${name} is given only the tests that the change reaches, and all of them before it lands`, async ({
    skip,
  }) => {
    const { needs, verify, files, file, reached, named, programs, packages = installed } = scene
    skip(!isThere(scene), `${needs.join(' ')} does not run on this machine`)
    if (programs) vi.stubEnv('PATH', `${programs()}:${process.env['PATH']}`)
    const p = await makeProject({
      files: { '.gitignore': 'node_modules\ntarget\nCargo.lock\n', ...files },
      fixer: "edit(issue.file, 'wrong', 'right'); return {}",
      verify,
      config: `challenge: { enabled: false }\nworkspace: { setup: "ln -s ${packages} node_modules" }`,
      verifyStrategy: 'affected',
    })
    projects.push(p)
    await p.import([{ file, line: 1, title: 'wrong word', severity: 'minor', rule: 'word' }])
    const { result } = await p.fix()
    const [fixed] = result.results
    const gate = fixed?.rounds[0]?.gates.find((each) => each.name === 'verification')
    expect(gate?.reason).toContain(`the change reaches ${reached}; the others run on the train`)
    const output = fixed?.rounds[0]?.verification?.commands[0]?.output
    expect(output).toMatch(named('a'))
    expect(output).not.toMatch(named('d'))
    expect(fixed).toMatchObject({ outcome: 'fixed' })
    const note: unknown = JSON.parse(p.git('notes', '--ref=fixpoint', 'show', result.branch_name ?? ''))
    expect(note).toMatchObject({ commands: [{ run: verify, status: 'passed' }] })
  })
