import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { RoleAgentView, SettingList } from '../../../src/model/api/system.ts'
import { agentsQuery, configQuery, doctorQuery } from '../api/queries.ts'
import { formatDuration, formatWord } from '../ui/format.ts'
import { TrustNotice } from '../fix/trust-notice.tsx'
import { Badge, StatusBadge } from '../ui/badge.tsx'
import { columnsOf, DataTable } from '../ui/data-table.tsx'
import { Card, PageBody, PageHead } from '../ui/layout.tsx'
import { Shown } from '../ui/states.tsx'
import { visible } from '../ui/visible.ts'
import { Repositories } from './repositories.tsx'

export function SettingsPage() {
  const { repositoryId } = useParams({ from: '/r/$repositoryId/settings' })
  return (
    <>
      <PageHead title="Settings" note="Read from the configuration; change it in fixpoint.yaml" />
      <PageBody>
        <TrustNotice repositoryId={repositoryId} />
        <Doctor repositoryId={repositoryId} />
        <Agents repositoryId={repositoryId} />
        <Configuration repositoryId={repositoryId} />
        <Repositories repositoryId={repositoryId} />
      </PageBody>
    </>
  )
}

interface OfRepository {
  readonly repositoryId: string
}

function Doctor({ repositoryId }: OfRepository) {
  const query = useQuery(doctorQuery(repositoryId))
  return (
    <Card title="Doctor" note="Whether this machine has what a session needs" padded={false}>
      <Shown query={query}>
        {({ checks }) => (
          <ul className="divide-y">
            {checks.map(({ name, status, message, hint }) => (
              <li
                key={name}
                className="grid grid-cols-[6rem_10rem_1fr] items-start gap-x-3 px-4 py-2 max-sm:grid-cols-[1fr_auto]"
              >
                <span className="leading-5 max-sm:order-1">
                  <StatusBadge status={status} />
                </span>
                <span className="font-medium">{formatWord(name)}</span>
                <span className="min-w-0 wrap-anywhere max-sm:order-2 max-sm:col-span-2">
                  <WithSessions text={visible(message)} />
                  {hint !== null && (
                    <span className="block text-muted">
                      {name === 'sessions' ? 'Resume or cancel it on its page.' : visible(hint)}
                    </span>
                  )}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </Card>
  )
}

/** Text in which every session that is named is a link to its page. */
const WithSessions = ({ text }: { readonly text: string }) =>
  text.split(/(ses_\w+)/).map((part, index) =>
    part.startsWith('ses_') ? (
      <Link
        key={index}
        to="/sessions/$sessionId"
        params={{ sessionId: part }}
        className="text-accent hover:underline"
      >
        {part}
      </Link>
    ) : (
      part
    ),
  )

const agentColumns = columnsOf<RoleAgentView>([
  { id: 'role', head: 'Role', value: ({ role }) => role, cell: ({ role }) => formatWord(role) },
  {
    id: 'name',
    head: 'Agent',
    value: ({ name }) => name,
    cell: ({ name, is_fallback }) => (
      <>
        {name}
        {is_fallback && <span className="text-muted"> (fallback)</span>}
      </>
    ),
  },
  { id: 'model', head: 'Model', isWide: true, value: ({ model }) => model ?? 'its own choice' },
  {
    id: 'timeout',
    head: 'Timeout',
    isNumber: true,
    isWide: true,
    value: ({ timeout_ms }) => timeout_ms,
    cell: ({ timeout_ms }) => formatDuration(timeout_ms),
  },
  {
    id: 'available',
    head: 'Available',
    value: ({ available }) => (available ? 'yes' : 'no'),
    cell: ({ available, reason }) =>
      available ? <Badge tone="ok">Yes</Badge> : <Badge tone="bad">{reason ?? 'No'}</Badge>,
  },
])

function Agents({ repositoryId }: OfRepository) {
  const query = useQuery(agentsQuery(repositoryId))
  return (
    <Card title="Agents" note="In the order in which they are tried" padded={false}>
      <Shown query={query}>
        {({ roles }) => <DataTable label="Agents" columns={agentColumns} rows={roles} />}
      </Shown>
    </Card>
  )
}

type Setting = SettingList['settings'][number]
const isPlain = (value: unknown): boolean => value === null || typeof value !== 'object'

/** A value as a person would write it: no brackets and quotes where a list of words is meant. */
function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'not set'
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : value.map(describeValue).join(value.every(isPlain) ? ', ' : '\n')
  if (typeof value !== 'object') return typeof value === 'string' ? value : JSON.stringify(value)
  const parts = Object.entries(value).filter(([, part]) => !(Array.isArray(part) && part.length === 0))
  return parts.length === 0
    ? 'none'
    : parts.map(([name, part]) => `${name}: ${describeValue(part)}`).join(', ')
}
const valueText = ({ value }: Setting): string => describeValue(value)

const settingColumns = columnsOf<Setting>([
  {
    id: 'key',
    head: 'Setting',
    value: ({ key }) => key,
    cell: ({ key }) => <code className="font-mono text-xs">{key}</code>,
  },
  {
    id: 'value',
    head: 'Value',
    value: valueText,
    cell: (setting) => (
      <code className="font-mono text-xs whitespace-pre-line wrap-anywhere max-sm:block max-sm:min-w-40">
        {visible(valueText(setting))}
      </code>
    ),
  },
  {
    id: 'source',
    head: 'Source',
    value: ({ source }) => source,
    cell: ({ source, where }) => (
      <span className={source === 'default' ? 'text-muted' : ''} title={where ?? ''}>
        {formatWord(source)}
      </span>
    ),
  },
])

function Configuration({ repositoryId }: OfRepository) {
  const query = useQuery(configQuery(repositoryId))
  return (
    <Card title="Configuration" note="Each value with where it comes from" padded={false}>
      <Shown query={query}>
        {({ settings, notices }) => (
          <>
            {notices.map((notice) => (
              <p key={notice} className="border-b px-4 py-2 text-warn">
                {notice}
              </p>
            ))}
            <DataTable label="Configuration" columns={settingColumns} rows={settings} />
          </>
        )}
      </Shown>
    </Card>
  )
}
