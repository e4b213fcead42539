import type { TreeId } from '../../model/id.ts'
import type { Trees } from '../ports.ts'
import { trustedText, type Own } from '../own-text.ts'
import { builtInPrompts, promptFile, promptNames, type PromptTexts } from '../prompt-texts.ts'

/** No prompt file needs to be longer; a longer one would crowd out the task itself. */
const maxLength = 20_000

/** The prompt files of a session: the built-in ones, replaced by those of the base commit, replaced by the person's own. */
export async function readPrompts(
  trees: Pick<Trees, 'readMany'>,
  base: TreeId,
  own: ReadonlyMap<string, string>,
): Promise<PromptTexts> {
  const committed = await trees.readMany(base, promptNames.map(promptFile))
  const textOf = (name: (typeof promptNames)[number]): Own => {
    const bytes = committed.get(promptFile(name))
    const text = own.get(name) ?? (bytes && new TextDecoder().decode(bytes))
    return text === undefined || text.trim() === ''
      ? builtInPrompts[name]
      : trustedText(text.trim().slice(0, maxLength))
  }
  return Object.fromEntries(promptNames.map((name) => [name, textOf(name)])) as PromptTexts
}
