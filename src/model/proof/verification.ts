import { z } from 'zod'
import { TreeId } from '../id.ts'

export const NamedTest = z.object({
  name: z.string(),
  status: z.enum(['passed', 'failed', 'skipped', 'todo']),
  /** A suite or file is listed only when it fails by itself, so its absence later means nothing. */
  kind: z.enum(['test', 'suite']),
  /** What a failing one said, as far as the output shows it. */
  message: z.string().optional(),
})
export type NamedTest = z.infer<typeof NamedTest>

/** What a command's output says about its tests. */
export const TestRun = z.object({
  format: z.string(),
  tests: z.array(NamedTest).readonly(),
  /** Every test that ran is named. */
  complete: z.boolean(),
  /** Every test that failed is named. */
  failures_named: z.boolean(),
  /** How many tests ran, where the output says so. */
  ran: z.number().int().nullable(),
  /** Names and the tool's own counts contradict each other, as when a test prints what looks like results. */
  contradicted: z.boolean().optional(),
  /** How many final counts stand in the output, for tools that print one per run. */
  reports: z.number().int().optional(),
})
export type TestRun = z.infer<typeof TestRun>

/** One command on one tree, as it ended; nothing is judged yet. */
export const CommandRun = z.object({
  name: z.string(),
  run: z.string(),
  ended: z.enum(['exited', 'signalled', 'timed_out', 'cancelled', 'not_started', 'flooded', 'setup_failed']),
  exit_code: z.number().int().nullable(),
  /** The useful head and tail of stdout and stderr. */
  output: z.string(),
  /** The end of both streams, for the fixer, who gets the failing tests as a list of their own. */
  end: z.string().optional(),
  tests: TestRun.nullable(),
  duration_ms: z.number(),
  /** A failing command is run once more; true when the two runs differed. */
  flaky: z.boolean(),
  /** The tests whose results differed, where both runs named their failures. */
  flips: z.array(z.string()).readonly().optional(),
  /** Red also when none of these failed, nor any other test: a threshold, an unhandled error, whatever runs behind the tests. */
  red_besides: z.boolean().optional(),
  /** Tests and code of the tree that were written while it ran. */
  rewrote: z.array(z.string()).readonly().optional(),
})
export type CommandRun = z.infer<typeof CommandRun>

/** A test that fails, with what it said. */
export const FailingTest = z.object({ name: z.string(), message: z.string(), is_new: z.boolean() })
export type FailingTest = z.infer<typeof FailingTest>

export const CommandResult = z.object({
  name: z.string(),
  status: z.enum(['passed', 'failed', 'not_evaluated']),
  reason: z.string(),
  exit_code: z.number().int().nullable(),
  output: z.string(),
  end: z.string().optional(),
  /** The tests that fail now and did not on the base, first; then the others that fail. */
  failing: z.array(FailingTest).readonly().optional(),
  duration_ms: z.number(),
})
export type CommandResult = z.infer<typeof CommandResult>

/** Tests that fail without the fix and pass with it: what makes evidence E3. */
export const Proof = z.object({
  /** Whether the fix brought the tests, they were red before it, or another agent wrote them without seeing it. */
  source: z.enum(['added', 'existing', 'reproduced']),
  command: z.string(),
  tests: z.array(z.string()).readonly(),
  /** The tree on which they fail: the base with these tests, without the source hunks of the fix. */
  red_tree: TreeId,
  green_tree: TreeId,
  /** One line of how the first of them failed. */
  excerpt: z.string(),
})
export type Proof = z.infer<typeof Proof>

/** How much an attempt runs before it waits for the train that runs everything: what it reaches, everything, or nothing. */
export const VerifyStrategy = z.enum(['affected', 'each', 'together'])
export type VerifyStrategy = z.infer<typeof VerifyStrategy>

/** How much of the commands ran on an attempt. All of them run on the tree that lands, whatever this says. */
export const Extent = z.object({
  /** All tests, the files of tests that the change reaches, or none of those that were there. */
  runs: z.enum(['whole', 'affected', 'none']),
  /** Why it is so, for people. */
  reason: z.string(),
  /** Files of tests, or folders of packages. */
  files: z.array(z.string()).readonly(),
})
export type Extent = z.infer<typeof Extent>

/** The configured commands on one tree, compared with the baseline. */
export const Verification = z.object({
  /** `not_applicable`: nothing ran on the attempt; the train decides. */
  status: z.enum(['passed', 'failed', 'not_evaluated', 'not_applicable']),
  reason: z.string(),
  tree: TreeId,
  commands: z.array(CommandResult).readonly(),
  /** Whether another patch could change the answer, or only the machine and the configuration can. */
  depends_on_patch: z.boolean(),
  /** How much ran; left out where that is everything and nobody asked for less. */
  extent: Extent.optional(),
  /** Where the patch edits existing tests: they were put back first, and that tree had to be green as well. */
  restored: z.object({ tree: TreeId, paths: z.array(z.string()).readonly() }).optional(),
  /** Existing tests that are red as the base has them and green as the patch does: it changes what they expect. */
  expects: z.array(z.string()).readonly().optional(),
  /** The result without those files of the patch that have nothing to do with the cited ones, where there are some. */
  alone: z
    .object({
      tree: TreeId,
      paths: z.array(z.string()).readonly(),
      /** Whether it is as green as the whole. */
      status: z.enum(['passed', 'failed']),
      reason: z.string(),
    })
    .optional(),
  /** Whether the checks could have failed at all, shown by a test that must fail. */
  judge: z
    .object({ status: z.enum(['passed', 'not_evaluated', 'not_applicable']), reason: z.string() })
    .optional(),
  /** The result of the test that another agent wrote before the fix, where there is one. */
  reproduction: z
    .object({
      status: z.enum(['passed', 'failed', 'not_evaluated']),
      reason: z.string(),
      proof: Proof.optional(),
    })
    .optional(),
  /** The tests that fail without the fix, where there are some. */
  proof: Proof.optional(),
})
export type Verification = z.infer<typeof Verification>

/** Whether the train is the first to run all of the commands. */
export const isPartial = ({ extent }: Verification): boolean =>
  extent !== undefined && extent.runs !== 'whole'

/** One configured command. */
export const CheckCommand = z.object({
  name: z.string(),
  run: z.string(),
  timeout_ms: z.number().int().positive(),
  /** Runs only for patches that touch one of these paths, when given. */
  paths: z.array(z.string()).readonly(),
  /** Whether the jail around it lets it reach the network; not when this is not given. */
  network: z.boolean().optional(),
  /** False for one that runs outside of the jail. */
  jail: z.boolean().optional(),
})
export type CheckCommand = z.infer<typeof CheckCommand>
