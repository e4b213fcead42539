import { inFolder, type Checkout } from './checkout.ts'

/** Whether a .gitignore of the folder, or one above it, names this folder plainly; patterns are not worked out. */
export async function isIgnored(checkout: Checkout, folder: string, name: string): Promise<boolean> {
  const parts = folder === '' ? [] : folder.split('/')
  for (let depth = parts.length; depth >= 0; depth -= 1) {
    const at = parts.slice(0, depth).join('/')
    const text = await checkout.read(inFolder(at, '.gitignore'))
    const below = inFolder(parts.slice(depth).join('/'), name)
    if (text?.split(/\r?\n/).some((line) => names(line.trim(), name, below))) return true
  }
  return false
}

function names(line: string, name: string, below: string): boolean {
  const plain = line.replace(/\/(\*+)?$/, '').replace(/^(\*\*\/)+/, '')
  return plain === name || plain.replace(/^\//, '') === below
}
