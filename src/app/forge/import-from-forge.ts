import { keyOfComment } from '../../model/forge/review-text.ts'
import { findingOfAlert, findingOfThread } from '../../model/forge/forge-findings.ts'
import type { WrittenFinding } from '../../model/issue/finding.ts'
import { keepFindings, type Imported } from '../review/import-findings.ts'
import { resolveBase } from '../resolve-base.ts'
import type { App } from '../open-app.ts'
import { Fault } from '../../model/fault.ts'
import { openForge } from './open-forge.ts'
import { findPull } from './review-pull-request.ts'

/** The open threads of a pull request as issues, people's and bots'; our own comments are none. */
export async function importThreads(app: App, named: string): Promise<Imported> {
  const { forge, remote } = await openForge(app)
  const pull = await findPull(forge, named)
  const head = await remote.fetch(`refs/pull/${pull.number}/head`)
  if (head === null) throw new Fault('forge_missing', `#${pull.number} has no commits any more`)
  const threads = (await forge.threads.list(pull.number)).filter(
    ({ isResolved, comments: [first] }) =>
      !isResolved && first !== undefined && keyOfComment(first.body) === null,
  )
  const findings = threads.flatMap((thread) => findingOfThread(thread) ?? [])
  return keepFindings(app, reportOf(findings), await resolveBase(app, head))
}

/** The open alerts of GitHub's code scanning as issues. */
export async function importAlerts(app: App): Promise<Imported> {
  const { forge } = await openForge(app)
  const findings = (await forge.scans.alerts()).map(findingOfAlert)
  return keepFindings(app, reportOf(findings), await resolveBase(app))
}

const reportOf = (findings: WrittenFinding[]) => ({
  format: 'github',
  findings,
  notFindings: 0,
  incomplete: [],
  coverage: null,
})

/** Hands SARIF to GitHub's code scanning, for the commit that is checked out; gives the id of the upload. */
export async function uploadSarif(
  app: App,
  sarif: string,
): Promise<{ readonly id: string; readonly ref: string; readonly commit: string }> {
  const { forge } = await openForge(app)
  const { branches } = await app.ports()
  const head = await resolveBase(app)
  const ref =
    app.env['GITHUB_REF'] ||
    (await branches.branchOf('HEAD')) ||
    `refs/heads/${(await forge.about()).defaultBranch}`
  const id = await forge.scans.upload({ commit: head.commit, ref, sarif })
  return { id, ref, commit: head.commit }
}
