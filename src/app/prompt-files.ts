import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Prompts, Trees } from '../loop/ports.ts'
import { readPrompts } from '../loop/prompts/read-prompts.ts'
import { promptNames, type PromptTexts } from '../loop/prompt-texts.ts'
import type { TreeId } from '../model/id.ts'

/** The prompt files of a base commit, read once each; the person's own are read when Fixpoint starts. */
export async function createPrompts(trees: Trees, ownFolder: string | null): Promise<Prompts> {
  const own = ownFolder === null ? new Map<string, string>() : await readOwnPrompts(ownFolder)
  const known = new Map<TreeId, Promise<PromptTexts>>()
  return {
    read(base) {
      const texts = known.get(base) ?? readPrompts(trees, base, own)
      known.set(base, texts)
      return texts
    },
  }
}

async function readOwnPrompts(folder: string): Promise<ReadonlyMap<string, string>> {
  const found = await readdir(folder).catch((error: unknown): string[] => {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code)))
      return []
    throw error
  })
  const names = promptNames.filter((name) => found.includes(`${name}.md`))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, `${name}.md`), 'utf8')))
  return new Map(names.map((name, index) => [name, texts[index] ?? '']))
}
