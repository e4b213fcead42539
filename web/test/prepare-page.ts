import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'

// Nothing is laid out here: lists that draw only what is in sight get a window to draw into.
Object.defineProperties(HTMLElement.prototype, {
  clientHeight: { get: () => 800 },
  clientWidth: { get: () => 1_200 },
})

// A busy machine takes its time.
configure({ asyncUtilTimeout: 60_000 })

afterEach(cleanup)
