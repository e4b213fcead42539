import type { Detector } from '../hit.ts'
import { findIssuedTokens } from './issued-tokens.ts'
import { findJsonWebTokens } from './json-web-tokens.ts'
import { findPrivateKeys } from './private-keys.ts'
import { findUrlCredentials } from './url-credentials.ts'

/** What is a secret wherever it stands. */
export const findMarkedSecrets: Detector = (text) => [
  ...findPrivateKeys(text),
  ...findJsonWebTokens(text),
  ...findIssuedTokens(text),
  ...findUrlCredentials(text),
]
