import { expect, it, afterEach } from 'vitest'
import { configOf, createPlaces, envOf, fixpointIn, sources } from '../fixtures/command-line.ts'
import { describeInJail } from '../fixtures/jail.ts'

const places = createPlaces()
afterEach(places.disposeAll)

describeInJail('a session', () => {
  /** The commits that a session puts on its branch, and its own report. */
  const fixedWith = (sandbox: string) => {
    const { repository } = places.open({ ...sources, 'fixpoint.yaml': configOf() })
    const env = envOf(repository, { FIXPOINT_SANDBOX: sandbox })
    const run = (...args: string[]) => fixpointIn(repository.root, env, args)
    const review = run('review', '--yes')
    expect(review).toMatchObject({ exitCode: 0 })
    const ran = run('fix', '--all', '--yes', '--json')
    const { branch_name: branch, sandbox: said } = ran.json<{ branch_name: string; sandbox: string }>()
    return {
      exitCode: ran.exitCode,
      branch,
      tree: repository.git('rev-parse', `${branch}^{tree}`),
      subjects: repository.git('log', '--format=%s', `main..${branch}`),
      note: JSON.parse(repository.git('notes', '--ref=fixpoint', 'show', branch)) as { sandbox: string },
      said,
      stderr: review.stderr,
    }
  }

  it('gives the same branch with and without the jail, and says which there was', () => {
    const { said: withJail, note, stderr, ...inside } = fixedWith('required')
    const { said: without, note: otherNote, stderr: otherStderr, ...outside } = fixedWith('off')
    expect(inside).toEqual(outside)
    expect(withJail).toMatch(/^jail: bubblewrap/)
    expect(without).toMatch(/^no jail: sandbox is off/)
    expect(note.sandbox).toBe(withJail)
    expect(otherNote.sandbox).toBe(without)
    expect(stderr).toContain('jail: bubblewrap')
    expect(otherStderr).toContain('no jail: sandbox is off')
  })
})
