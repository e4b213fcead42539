/** A name or an address as git writes it into commits: without what would break their format. */
export const cleanIdent = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replace(/[<>\n]/g, '').replace(/^[\x00-\x20.,:;"\\']+|[\x00-\x20.,:;"\\']+$/g, '') || 'unknown'
