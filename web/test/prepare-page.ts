import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'

// Nothing is laid out here, so lists that draw only the rows in sight get a window of a fixed size.
Object.defineProperties(HTMLElement.prototype, {
  clientHeight: { get: () => 800 },
  clientWidth: { get: () => 1_200 },
})

// A busy machine needs more time.
configure({ asyncUtilTimeout: 60_000 })

afterEach(cleanup)
