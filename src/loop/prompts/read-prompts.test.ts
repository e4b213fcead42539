import { expect, it } from 'vitest'
import type { TreeId } from '../../model/id.ts'
import { readPrompts } from './read-prompts.ts'
import { builtInPrompts } from '../prompt-texts.ts'

const base = '1'.repeat(40) as TreeId
const committed = (files: Readonly<Record<string, string>>) => ({
  readMany: (_tree: TreeId, paths: readonly string[]) =>
    Promise.resolve(
      new Map(
        paths.flatMap((path) =>
          path in files ? [[path, new TextEncoder().encode(files[path])] as const] : [],
        ),
      ),
    ),
})

it("prompt files of the base commit replace the built-in ones, the person's own replace both, empty ones nothing", async () => {
  const trees = committed({
    '.fixpoint/agents/fixer_single.md': 'FROM THE REPOSITORY\n',
    '.fixpoint/agents/dev_be.md': 'ALSO FROM THE REPOSITORY',
    '.fixpoint/agents/planner.md': '  \n',
    '.fixpoint/agents/other.md': 'unknown',
  })
  const texts = await readPrompts(trees, base, new Map([['dev_be', 'FROM THE PERSON']]))
  expect(texts).toEqual({
    ...builtInPrompts,
    fixer_single: 'FROM THE REPOSITORY',
    dev_be: 'FROM THE PERSON',
  })
})
