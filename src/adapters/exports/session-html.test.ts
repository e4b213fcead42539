import { describe, expect, it } from 'vitest'
import { sampleSession } from '../../../test/fixtures/store/samples.ts'
import { formatSessionHtml } from './session-html.ts'

describe('a session as one page', () => {
  const session = {
    ...sampleSession('ses_one', []),
    warnings: [`<script>alert(1)</script><img src=x onerror=alert(1)>\u202E`],
  }
  const page = formatSessionHtml(session, [], [])

  it('needs nothing else and runs nothing', () => {
    expect(page).toContain(`default-src 'none'`)
    expect(page).not.toMatch(/<(?:script|img|link|iframe)\b/i)
    expect(page).not.toMatch(/<[^>]*\b(?:src|href)=/)
  })

  it('shows what others said as text, without hidden signs', () => {
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(page).not.toContain('\u202E')
    expect(page).toContain('0 of 0 fixed')
  })
})
