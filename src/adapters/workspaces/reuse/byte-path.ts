/** Paths as strings of one character per byte, so that every name survives. */
export const toByteString = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** The path of something in a folder; the folder itself for an empty name. */
export const bytesBelow = (folder: string, path: string): Buffer =>
  Buffer.from(path === '' ? folder : `${folder}/${path}`, 'latin1')

/** The folder that holds a path; empty for the root. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))
