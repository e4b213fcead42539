import { z } from 'zod'
import { Revision } from './attempt.ts'
import { Challenge } from '../proof/challenge.ts'
import { HiddenTest } from './reproduction.ts'
import { EvidenceGrade } from '../proof/evidence.ts'
import { Gate } from '../proof/gate.ts'
import { CheckCommand, CommandResult, Proof } from '../proof/verification.ts'

/** What proves a commit, for whoever has the repository and nothing else: a JSON note under `refs/notes/fixpoint`. */
export const EvidenceNote = z.object({
  schema: z.literal('fixpoint.evidence.v1'),
  issue_code: z.string().nullable(),
  issue_id: z.string().nullable(),
  title: z.string(),
  fingerprint: z.string().nullable(),
  rule: z.string().nullable(),
  flagged_by: z.array(z.string()).readonly(),
  file: z.string().nullable(),
  line: z.number().int().nullable().optional(),
  /** The other issues that the same change fixes. */
  others: z
    .array(
      z.object({
        issue_code: z.string(),
        title: z.string(),
        rule: z.string().nullable(),
        flagged_by: z.array(z.string()).readonly(),
        file: z.string().nullable(),
        line: z.number().int().nullable(),
      }),
    )
    .readonly()
    .optional(),
  session_id: z.string().nullable(),
  /** What the session started from. */
  base: Revision,
  evidence: EvidenceGrade,
  /** The tip that was verified; inner commits of a train name the tip of their train. */
  verified: Revision,
  /** What ran and how it ended; a clone without configuration runs the same again. */
  commands: z
    .array(
      CommandResult.pick({ name: true, status: true, reason: true, exit_code: true }).extend(
        CheckCommand.pick({ run: true, timeout_ms: true, paths: true }).partial().shape,
      ),
    )
    .readonly(),
  gates: z
    .array(Gate.pick({ name: true, status: true, reason: true, paths: true, approved_by: true }))
    .readonly(),
  challenge: Challenge.nullable(),
  proof: Proof.nullable(),
  /** What stood around the agents and commands that made and checked it. */
  sandbox: z.string().optional(),
  /** The test that another agent wrote before the fix: it is in no commit, so its text is here. */
  reproduction: HiddenTest.extend({ agent: z.string() }).nullable().optional(),
})
export type EvidenceNote = z.infer<typeof EvidenceNote>

/** The note as it was written; null when it is none of ours. */
export function parseEvidenceNote(text: string): EvidenceNote | null {
  try {
    return EvidenceNote.safeParse(JSON.parse(text)).data ?? null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** The commands that a note says how to run; those of older notes have only names. */
export const commandsOfNote = ({ commands }: EvidenceNote): readonly CheckCommand[] =>
  commands.flatMap((command) => CheckCommand.safeParse(command).data ?? [])
