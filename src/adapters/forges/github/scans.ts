import { gzipSync } from 'node:zlib'
import type { CodeScans } from '../../../loop/ports.ts'
import { ask, type GitHubClient } from './client.ts'
import type { RepositoryName } from './pulls.ts'

export const createScans = (github: GitHubClient, name: RepositoryName): CodeScans => ({
  alerts: () =>
    ask('reading code scanning alerts', async () => {
      const alerts = await github.paginate('GET /repos/{owner}/{repo}/code-scanning/alerts', {
        ...name,
        state: 'open',
        per_page: 100,
      })
      return alerts.flatMap(({ rule, tool, most_recent_instance: instance, html_url }) => {
        const { location, message } = instance
        if (location?.path === undefined) return []
        return [
          {
            tool: tool.name ?? 'code scanning',
            rule: rule.id ?? 'unknown',
            title: rule.description ?? rule.name ?? rule.id ?? 'a code scanning alert',
            message: message?.text ?? rule.description ?? '',
            severity: rule.security_severity_level ?? rule.severity ?? null,
            path: location.path,
            line: location.start_line ?? null,
            endLine: location.end_line ?? null,
            url: html_url,
          },
        ]
      })
    }),
  upload: ({ commit, ref, sarif }) =>
    ask('uploading SARIF', async () => {
      // The same document for the same commit replaces the one before.
      const { data } = await github.request('POST /repos/{owner}/{repo}/code-scanning/sarifs', {
        ...name,
        commit_sha: commit,
        ref,
        sarif: gzipSync(sarif).toString('base64'),
        tool_name: 'fixpoint',
      })
      return data.id ?? ''
    }),
})
