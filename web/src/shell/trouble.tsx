import { Link, type ErrorComponentProps } from '@tanstack/react-router'
import { Empty, Failure } from '../ui/states.tsx'

export const NotFound = () => (
  <main>
    <Empty title="There is no such page">
      <Link to="/" className="text-accent underline">
        Go to the issues
      </Link>
    </Empty>
  </main>
)

export const RouteError = ({ error, reset }: ErrorComponentProps) => (
  <main>
    <Failure error={error} onRetry={reset} />
  </main>
)
