import { inFolder, type Checkout } from '../checkout.ts'
import { guessCommand, nothingFound, type Detect, type Found, type Guess } from '../detection.ts'
import { firstEvidence } from './evidence.ts'

/** Maven or Gradle, by the project's own wrapper where it has one. Both reach their modules from the root. */
export const detectJava: Detect = async (checkout, folder) =>
  (await detectMaven(checkout, folder)) ?? (await detectGradle(checkout, folder)) ?? nothingFound

async function detectMaven(checkout: Checkout, folder: string): Promise<Found | null> {
  const path = inFolder(folder, 'pom.xml')
  if (!(await checkout.hasFile(path))) return null
  const text = (await checkout.read(path))?.replaceAll(/<!--[\s\S]*?-->/g, '') ?? ''
  const maven = `${await wrapperOr(checkout, folder, 'mvnw', 'mvn')} -B`
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
    packages: await modules(checkout, folder, names, `modules of ${path}`),
  }
}

const builds = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts']

async function detectGradle(checkout: Checkout, folder: string): Promise<Found | null> {
  const found = await firstEvidence(
    checkout,
    folder,
    builds.map((file) => [file, null]),
  )
  if (!found) return null
  const gradle = await wrapperOr(checkout, folder, 'gradlew', 'gradle')
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

async function includedProjects(checkout: Checkout, folder: string): Promise<readonly Guess<string>[]> {
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
    return modules(checkout, folder, names, `include of ${path}`)
  }
  return []
}

async function wrapperOr(checkout: Checkout, folder: string, wrapper: string, tool: string): Promise<string> {
  return (await checkout.hasFile(inFolder(folder, wrapper))) ? `./${wrapper}` : tool
}

async function modules(
  checkout: Checkout,
  folder: string,
  names: readonly string[],
  why: string,
): Promise<readonly Guess<string>[]> {
  const found: Guess<string>[] = []
  for (const name of names.map((one) => one.replace(/\/pom\.xml$/, '')).filter(isBelow))
    if (await checkout.hasFolder(inFolder(folder, name))) found.push({ value: inFolder(folder, name), why })
  return found
}

const isBelow = (name: string): boolean => !name.startsWith('/') && !name.split('/').includes('..')
