import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState, type KeyboardEvent as ReactKeyboardEvent } from 'react'
import { api } from '../api/client.ts'
import { repositoriesQuery } from '../api/queries.ts'
import { Dialog } from '../ui/dialog.tsx'
import { formatWord } from '../ui/format.ts'
import { inputClass } from '../ui/field.tsx'
import { visible } from '../ui/visible.ts'

interface Entry {
  readonly label: string
  readonly note: string
  readonly go: () => void
}

const keys: readonly (readonly [string, string])[] = [
  ['⌘K or Ctrl K', 'Go anywhere'],
  ['/', 'Search issues'],
  ['j, k', 'Next and previous issue'],
  ['x', 'Select the issue'],
  ['Enter', 'Open the issue'],
  ['p', 'Preview the issue'],
  ['?', 'This help'],
]

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)

/** Goes to any page by its name (⌘K), and lists the keys (?). */
export function CommandPalette({ repositoryId }: { readonly repositoryId: string }) {
  const [shown, setShown] = useState<'palette' | 'help' | null>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault()
        setShown((now) => (now === 'palette' ? null : 'palette'))
      } else if (event.key === '?' && !isTyping(event)) setShown('help')
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  if (shown === null) return null
  if (shown === 'help') return <KeyHelp onClose={() => setShown(null)} />
  return <Palette repositoryId={repositoryId} onClose={() => setShown(null)} />
}

const KeyHelp = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keys" onClose={onClose}>
    <dl className="grid grid-cols-[8rem_1fr] gap-y-1.5">
      {keys.map(([key, what]) => (
        <div key={key} className="contents">
          <dt className="font-mono text-xs leading-5">{key}</dt>
          <dd className="text-muted">{what}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
)

function Palette({ repositoryId, onClose }: { readonly repositoryId: string; readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const entries = useEntries(repositoryId, text.trim())
  const run = (entry: Entry | undefined) => {
    onClose()
    entry?.go()
  }
  const onKey = (event: ReactKeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setAt((now) => Math.max(0, Math.min(entries.length - 1, now + step)))
    } else if (event.key === 'Enter') run(entries[at])
  }
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        autoFocus
        type="text"
        role="combobox"
        aria-expanded
        aria-controls="palette-entries"
        aria-activedescendant={`palette-entry-${at}`}
        aria-label="Page, repository or issue"
        placeholder="A page, a repository, the code or words of an issue…"
        className={inputClass}
        value={text}
        onKeyDown={onKey}
        onChange={({ target }) => {
          setText(target.value)
          setAt(0)
        }}
      />
      <ul id="palette-entries" role="listbox" aria-label="Found" className="max-h-72 overflow-y-auto">
        {entries.map((entry, index) => (
          <li
            key={`${entry.note} ${entry.label}`}
            ref={index === at ? (row) => row?.scrollIntoView({ block: 'nearest' }) : null}
            id={`palette-entry-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => run(entry)}
            className={`flex cursor-pointer items-baseline gap-3 rounded-md px-2.5 py-1.5 ${index === at ? 'bg-sunken' : ''}`}
          >
            <span className="min-w-0 flex-1 truncate">{visible(entry.label)}</span>
            <span className="text-xs text-muted">{entry.note}</span>
          </li>
        ))}
      </ul>
      {entries.length === 0 && <p className="text-muted">Nothing is called like that.</p>}
    </Dialog>
  )
}

const pages = ['issues', 'sessions', 'needs-you', 'reviews', 'pull-requests', 'insights', 'settings'] as const

/** The matches of the text: pages, repositories, issues. */
function useEntries(repositoryId: string, text: string): readonly Entry[] {
  const navigate = useNavigate()
  const { data } = useQuery(repositoriesQuery)
  const found = useQuery({
    queryKey: ['palette', repositoryId, text],
    queryFn: ({ signal }) => api.issues(repositoryId, { q: text, limit: 8 }, signal),
    enabled: text.length > 1,
  })
  const isMeant = (label: string): boolean => label.toLowerCase().includes(text.toLowerCase())
  return [
    ...pages
      .map((name) => ({
        label: formatWord(name.replaceAll('-', '_')),
        note: 'Page',
        go: () => void navigate({ to: `/r/$repositoryId/${name}`, params: { repositoryId }, search: {} }),
      }))
      .filter(({ label }) => isMeant(label)),
    ...[
      { label: 'Workers', note: 'Page', go: () => void navigate({ to: '/workers' }) },
      { label: 'All repositories', note: 'Page', go: () => void navigate({ to: '/overview' }) },
    ].filter(({ label }) => isMeant(label)),
    ...(found.data?.issues ?? []).map(({ id, code, title }) => ({
      label: `${code} ${visible(title)}`,
      note: 'Issue',
      go: () =>
        void navigate({ to: '/r/$repositoryId/issues/$issueId', params: { repositoryId, issueId: id } }),
    })),
    ...(data?.repositories ?? [])
      .filter(({ name }) => isMeant(name))
      .slice(0, 8)
      .map(({ id, name }) => ({
        label: name,
        note: 'Repository',
        go: () => void navigate({ to: '/r/$repositoryId/issues', params: { repositoryId: id }, search: {} }),
      })),
  ]
}
