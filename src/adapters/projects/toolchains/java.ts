import { inFolder, type CheckoutFiles } from '../evidence/checkout.ts'
import {
  guessCommand,
  nothingFound,
  type Detect,
  type Toolchain,
  type DetectedTools,
  type Guess,
} from '../evidence/detection.ts'
import { firstEvidence } from '../evidence/evidence.ts'

/** Maven or Gradle, by the project's own wrapper where it has one. Both reach their modules from the root. */
const detectJava: Detect = async (checkout, folder) =>
  (await detectMaven(checkout, folder)) ?? (await detectGradle(checkout, folder)) ?? nothingFound

async function detectMaven(checkout: CheckoutFiles, folder: string): Promise<DetectedTools | null> {
  const path = inFolder(folder, 'pom.xml')
  if (!(await checkout.hasFile(path))) return null
  const text = (await checkout.read(path))?.replaceAll(/<!--[\s\S]*?-->/g, '') ?? ''
  const maven = `${await programOf(checkout, inFolder(folder, 'mvnw'), 'mvn')} -B`
  const checkstyle = /<artifactId>\s*maven-checkstyle-plugin\s*</.test(text)
  const names = [...text.matchAll(/<module>\s*([^<\s]+)\s*<\/module>/g)].map(([, name = '']) => name)
  return {
    ...nothingFound,
    commands: [
      guessCommand('test', `${maven} test`, path),
      ...(checkstyle
        ? [guessCommand('lint', `${maven} checkstyle:check`, `maven-checkstyle-plugin in ${path}`)]
        : []),
    ],
    packages: await modules(checkout, folder, { names, why: `modules of ${path}` }),
  }
}

const builds = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts']

async function detectGradle(checkout: CheckoutFiles, folder: string): Promise<DetectedTools | null> {
  const found = await firstEvidence(
    checkout,
    folder,
    builds.map((file) => [file, null]),
  )
  if (!found) return null
  const gradle = await programOf(checkout, inFolder(folder, 'gradlew'), 'gradle')
  const checkstyle = await firstEvidence(checkout, folder, [
    ['build.gradle', /\bid\s*\(?['"]checkstyle['"]\)?|apply plugin: *['"]checkstyle['"]/],
    ['build.gradle.kts', /^\s*(checkstyle$|id\("checkstyle"\))/m],
  ])
  return {
    ...nothingFound,
    commands: [
      guessCommand('test', `${gradle} test`, found),
      ...(checkstyle ? [guessCommand('lint', `${gradle} checkstyleMain`, checkstyle)] : []),
    ],
    packages: await includedProjects(checkout, folder),
  }
}

async function includedProjects(checkout: CheckoutFiles, folder: string): Promise<readonly Guess<string>[]> {
  for (const file of ['settings.gradle', 'settings.gradle.kts']) {
    const path = inFolder(folder, file)
    const text = await checkout.read(path)
    if (text === null) continue
    const lines = [...text.matchAll(/^\s*include\b\s*\(?((?:\s*['"][^'"]+['"]\s*,?)+)/gm)]
    const names = lines.flatMap(([, list = '']) =>
      [...list.matchAll(/['"]([^'"]+)['"]/g)].map(([, name = '']) =>
        name.replace(/^:/, '').replaceAll(':', '/'),
      ),
    )
    return modules(checkout, folder, { names, why: `include of ${path}` })
  }
  return []
}

/** The project's own wrapper where it has one, else the installed tool. */
async function programOf(checkout: CheckoutFiles, wrapper: string, tool: string): Promise<string> {
  return (await checkout.hasFile(wrapper)) ? `./${wrapper.split('/').at(-1) ?? ''}` : tool
}

async function modules(
  checkout: CheckoutFiles,
  folder: string,
  { names, why }: { readonly names: readonly string[]; readonly why: string },
): Promise<readonly Guess<string>[]> {
  const found: Guess<string>[] = []
  for (const name of names.map((one) => one.replace(/\/pom\.xml$/, '')).filter(isBelow))
    if (await checkout.hasFolder(inFolder(folder, name))) found.push({ value: inFolder(folder, name), why })
  return found
}

const isBelow = (name: string): boolean => !name.startsWith('/') && !name.split('/').includes('..')

export const java: Toolchain = {
  name: 'java',
  manifest: /^(pom\.xml|(build|settings)\.gradle(\.kts)?)$/,
  lock: /^(mvnw|gradlew)$/,
  detect: detectJava,
}
