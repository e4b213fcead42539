import type { CheckReport, CommitChecks } from '../../../loop/ports.ts'
import { ask, once, type GitHubClient } from './client.ts'
import type { RepositoryName } from './pulls.ts'

/** GitHub takes no more annotations in one request, and adds those of further ones. */
const mostAnnotations = 50
const mostSummary = 65_000

/** Check runs, which only an App may write; the newest of a name on a commit is the one that counts. */
export const createCommitChecks = (github: GitHubClient, name: RepositoryName): CommitChecks => ({
  report: (check) =>
    ask(`reporting on ${check.headSha.slice(0, 12)}`, async () => {
      const { data } = await github.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
        ...name,
        ref: check.headSha,
        check_name: check.name,
        filter: 'latest',
      })
      // A run that has ended keeps its annotations for ever, so new ones get a run of their own.
      const running = data.check_runs.find(({ status }) => status !== 'completed')
      const id = running ? Number(running.id) : await begin(github, name, check)
      const pages = pagesOf(check.annotations)
      for (const [index, annotations] of pages.entries())
        await github.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
          ...name,
          check_run_id: id,
          output: { title: check.title, summary: check.summary.slice(0, mostSummary), annotations },
          ...(index === pages.length - 1 &&
            check.conclusion !== null && { status: 'completed', conclusion: check.conclusion }),
        })
      return id
    }),
})

async function begin(
  github: GitHubClient,
  name: RepositoryName,
  { name: checkName, headSha }: CheckReport,
): Promise<number> {
  const { data } = await github.request('POST /repos/{owner}/{repo}/check-runs', {
    ...name,
    name: checkName,
    head_sha: headSha,
    status: 'in_progress',
    request: once,
  })
  return Number(data.id)
}

/** At least one page, so that title and summary are told without annotations too. */
function pagesOf(annotations: CheckReport['annotations']) {
  const written = annotations.map(({ path, startLine, endLine, level, title, message }) => ({
    path,
    start_line: startLine,
    end_line: endLine,
    annotation_level: level,
    title: title.slice(0, 255),
    message: message.slice(0, 4_000),
  }))
  const count = Math.max(1, Math.ceil(written.length / mostAnnotations))
  return Array.from({ length: count }, (_, page) =>
    written.slice(page * mostAnnotations, (page + 1) * mostAnnotations),
  )
}
