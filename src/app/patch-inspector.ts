import type { PatchInspector } from '../loop/ports.ts'

/** The detectors, loaded when the first patch is looked into. */
export const patchInspector: PatchInspector = {
  async findTampering(changes, options) {
    const { findTampering } = await import('../adapters/tamper/find-tampering.ts')
    return findTampering(changes, options)
  },
  async findSecrets(changes) {
    const { findAddedSecrets } = await import('../adapters/secrets/find-added-secrets.ts')
    const scan = await findAddedSecrets(changes)
    if ('unscanned' in scan) return { unscanned: scan.unscanned }
    return scan.found.map(({ path, line, kind }) => ({ path, line, what: `a secret is added (${kind})` }))
  },
  async compareCode(changes) {
    const { compareCode } = await import('../adapters/tamper/substance/compare-code.ts')
    return changes.map(compareCode)
  },
  async isRemark(path, text, lines) {
    const { isRemark } = await import('../adapters/tamper/substance/compare-code.ts')
    return isRemark(path, text, lines)
  },
}
