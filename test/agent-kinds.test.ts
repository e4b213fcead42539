import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { builtInAgents } from '../src/adapters/agents/index.ts'
import { kindOf } from '../src/model/config/agent-kind.ts'
import { builtInAgent } from '../src/model/config/written.ts'

const root = join(import.meta.dirname, '..')
const kinds = builtInAgents.map(({ kind }) => kind)

/** Words that are spelt like a kind and mean something else. */
const otherMeanings: readonly RegExp[] = [
  /\b(?:Pick|Omit)<\w+, .*'command'/, // a field of a process
  /countOf\(\w+\.length, 'command'\)/, // of `verify.commands`
  /add\('replay'/, // the command of the CLI
  /\bfields\.children\(component, 'rules'\)/, // a field of SARIF
  /\['rules'\]\[number\]/, // of secretlint
  /(['"])agent\1.*(['"])rules\2|'rules'.*'agent'|kind: 'rules'|flagged_by: \['rules'\]/, // where a finding comes from
  /builtInAgent = 'rules'/,
]

test('no file but its own folder and the list names a kind of agent', () => {
  const literal = new RegExp(`['"\`](?:${kinds.join('|')})['"\`]`)
  const files = globSync(['src/**/*.{ts,tsx}', 'web/src/**/*.{ts,tsx}'], {
    cwd: root,
    exclude: ['**/*.test.{ts,tsx}'],
  })
  const places = files
    .filter((file) => !kinds.some((kind) => file.startsWith(`src/adapters/agents/${kind}/`)))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .filter(
          (line) =>
            !/^\s*(?:\/?\*|\/\/)/.test(line) &&
            literal.test(line) &&
            !otherMeanings.some((other) => other.test(line)),
        )
        .map((line) => `${file}: ${line.trim()}`),
    )
  expect(places).toEqual([])
})

test('every kind stands in a folder of its own name', () => {
  const folders = globSync('src/adapters/agents/*/definition.ts', { cwd: root })
    .map((file) => file.split('/').at(-2))
    .filter((folder) => folder !== 'definition')
  expect(new Set(folders)).toEqual(new Set(kinds))
})

test('the agent that works where nobody else can needs nothing', () => {
  const { cli, run } = kindOf(builtInAgents, builtInAgent) ?? {}
  expect({ cli, run }).toEqual({ cli: undefined, run: undefined })
})
