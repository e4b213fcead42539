import type { SubAgent } from '../../../loop/ports.ts'

export interface SubAgentFile {
  readonly file: string
  readonly text: string
}

/** The file by which the CLI knows a sub-agent; JSON strings are YAML strings. */
export const subAgentFile = ({ name, description, prompt }: SubAgent): SubAgentFile => ({
  file: `${name.replaceAll(/[^\w-]/g, '-')}.md`,
  text: `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}\n---\n${prompt}\n`,
})
