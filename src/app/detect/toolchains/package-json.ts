import { z } from 'zod'
import { inFolder, type Checkout } from '../checkout.ts'

const words = z.record(z.string(), z.string()).catch({})

/** What matters of a package.json; parts of another shape count as absent. */
const PackageJson = z.object({
  scripts: words.default({}),
  dependencies: words.default({}),
  devDependencies: words.default({}),
  packageManager: z.string().optional().catch(undefined),
  workspaces: z
    .union([
      z.array(z.string()),
      z.object({ packages: z.array(z.string()) }).transform((value) => value.packages),
    ])
    .catch([])
    .default([]),
})
export type PackageJson = z.infer<typeof PackageJson>

export type ReadPackage = PackageJson | 'broken' | null

/** The package.json of a folder; `broken` when it is there and is not JSON. */
export async function readPackage(checkout: Checkout, folder: string): Promise<ReadPackage> {
  const path = inFolder(folder, 'package.json')
  const text = await checkout.read(path)
  if (text === null) return (await checkout.hasFile(path)) ? 'broken' : null
  try {
    const parsed = PackageJson.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : 'broken'
  } catch (error) {
    if (error instanceof SyntaxError) return 'broken'
    throw error
  }
}

/** A script of a package; stubs that only say that there is nothing count as absent. */
export function scriptOf(manifest: ReadPackage, name: string): string | null {
  const line = manifest && manifest !== 'broken' ? manifest.scripts[name]?.trim() : undefined
  return line && !/no test specified/.test(line) ? line : null
}

export const dependsOn = ({ dependencies, devDependencies }: PackageJson, name: string): boolean =>
  name in dependencies || name in devDependencies
