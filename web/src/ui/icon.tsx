const paths = {
  issues: 'M4 6h16M4 12h16M4 18h10',
  sessions: 'M13 3 5 14h6l-1 7 8-11h-6z',
  reviews: 'M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zm10-3a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  pulls:
    'M6 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm0 0v8m0 0a2 2 0 1 0 0 4 2 2 0 0 0 0-4zm12 0a2 2 0 1 0 0 4 2 2 0 0 0 0-4zm0 0v-5a3 3 0 0 0-3-3h-4m0 0 2.5-2.5M11 8l2.5 2.5',
  inbox: 'M4 13h4l2 3h4l2-3h4M4 13l3-8h10l3 8v6H4z',
  insights: 'M4 20V10m6 10V4m6 16v-7m4 7H2',
  settings: 'M4 7h10m4 0h2M4 17h2m4 0h10M16 5v4M8 15v4',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm5 12 4 4',
  close: 'M6 6l12 12M18 6 6 18',
  chevron: 'M9 6l6 6-6 6',
  check: 'M5 13l4 4L19 7',
} as const

export type IconName = keyof typeof paths

export const Icon = ({
  name,
  className = 'size-4',
}: {
  readonly name: IconName
  readonly className?: string
}) => (
  <svg
    aria-hidden
    viewBox="0 0 24 24"
    className={`shrink-0 ${className}`}
    fill="none"
    stroke="currentColor"
    strokeWidth="1.8"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={paths[name]} />
  </svg>
)
