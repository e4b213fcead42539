/**
 * Whether git takes this path on any system. It has rules for names that some file system could read as `.git` or as
 * a way out of the repository; what comes near any of them is left to git itself.
 */
export const isPlainPath = (path: string): boolean =>
  /^[\w@+=,()[\]{}#%&!$^ ./-]+$/.test(path) && !/git|^\/|\/\/|\/$|(^|\/)\.\.?(\/|$)|[. ](\/|$)/i.test(path)
