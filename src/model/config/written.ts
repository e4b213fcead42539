import { z } from 'zod'
import { count, text, timeout } from './values.ts'

/** The agent that works where no other can: it is built in and needs no model. */
export const builtInAgent = 'rules'

/** How strict the jail around agents and commands is, loosest first. */
export const Sandbox = z.enum(['off', 'auto', 'required'])
export type Sandbox = z.infer<typeof Sandbox>

const agentName = text.regex(/^[a-z][a-z0-9-]*$/i, {
  error: 'expected an agent\'s name: letters, digits and "-", a letter first',
})

/** An agent and how to call it; the same keys for roles, fallbacks and named agents. */
const agentShape = {
  use: agentName.describe('A built-in agent, or the name of an agent that is defined beside the roles.'),
  run: text.optional().describe('The program to start, or the folder of a recorded run.'),
  model: text
    .refine((written) => !written.startsWith('-'), {
      error: 'expected the name of a model, not something that a program would take for an option',
    })
    .optional()
    .describe("The model, in the agent's own words."),
  thinking_budget: count(0).optional().describe('Tokens it may think with.'),
  max_turns: count(1).optional().describe('Calls of the model in one run.'),
  permissions: z
    .enum(['role', 'bypass'])
    .optional()
    .describe('`bypass` lets a CLI do whatever it likes; `role` (the default) what its role needs.'),
  home: text
    .refine((written) => /^(\/|~\/)/.test(written), {
      error: 'expected an absolute path, or one that begins with ~/',
    })
    .optional()
    .describe("A CLI's configuration folder, with a login of its own; yours when it is not given."),
  env: z
    .array(text.regex(/^[A-Za-z_]\w*$/, { error: 'expected the name of a variable' }))
    .optional()
    .describe('Variables of yours that it may see, besides the usual ones.'),
  args: z.array(text).optional().describe('More arguments for a CLI.'),
  timeout: timeout.optional().describe('One run takes no longer (fixer 15m, challenger 2m, others 15m).'),
}
export const WrittenAgent = z.strictObject(agentShape)
export type WrittenAgent = z.infer<typeof WrittenAgent>

const AgentOrName = z.union([agentName, WrittenAgent])
export const WrittenRole = z.union([
  agentName,
  z.strictObject({
    ...agentShape,
    fallback: z.array(AgentOrName).optional().describe('Who is asked next when this one gives no answer.'),
  }),
])
export type WrittenRole = z.infer<typeof WrittenRole>

export const roleNames = [
  'fixer',
  'challenger',
  'reviewers',
  'clarifier',
  'planner',
  'reproducer',
  'pr_reviewers',
] as const
export type RoleName = (typeof roleNames)[number]

export const WrittenAgents = z
  .object({
    fixer: WrittenRole.optional().describe('Changes the code.'),
    challenger: WrittenRole.optional().describe('Scores each patch, without knowing its story.'),
    reviewers: z
      .array(WrittenRole)
      .optional()
      .describe('Read the code and report findings, each on its own.'),
    clarifier: WrittenRole.optional().describe(
      'Asks questions before fixing; the fixer when it is not given.',
    ),
    planner: WrittenRole.optional().describe('Writes the approach; the fixer when it is not given.'),
    reproducer: WrittenRole.optional().describe(
      'Writes a test of the problem before anybody fixes it; the challenger when it is not given.',
    ),
    pr_reviewers: z
      .array(WrittenRole)
      .optional()
      .describe('Vote on pull requests, each on its own; the reviewers when they are not given.'),
  })
  .catchall(WrittenAgent)
