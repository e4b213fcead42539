import type { Hit } from '../hit.ts'
import { isPlaceholder } from './placeholder.ts'

const address = /\b[a-z][a-z0-9+.-]{1,20}:\/\/([^\s:@/"'`<>]{0,128}):([^\s@/"'`<>]{4,256})@(?=[\w.[-])/gi

/** Passwords in addresses (`scheme://user:password@host`); a template and a textbook password are none. */
export function findUrlCredentials(text: string): readonly Hit[] {
  const hits: Hit[] = []
  for (const match of text.matchAll(address)) {
    const [whole, user = '', value = ''] = match
    if (isTextbookPassword(value) || value === user || /[${}*]/.test(value)) continue
    const end = match.index + whole.length - 1
    hits.push({ kind: 'url credentials', start: end - value.length, end, value })
  }
  return hits
}

const isTextbookPassword = (password: string): boolean =>
  isPlaceholder(password) ||
  /^(?:my|the|a|some)?[-_]?(?:pass(?:wor)?d?|secret|pw|token)\d{0,4}$/i.test(password)
