import { inFolder, type Checkout } from './checkout.ts'
import { nothingFound, type Found } from './detection.ts'

interface Toolchain {
  readonly manifest: string
  readonly run: string
  /** A script of the project itself that is better than the installed tool. */
  readonly wrapper?: readonly [file: string, run: string]
}

const toolchains: readonly Toolchain[] = [
  { manifest: 'go.mod', run: 'go test ./...' },
  { manifest: 'Cargo.toml', run: 'cargo test' },
  { manifest: 'pom.xml', run: 'mvn -B test', wrapper: ['mvnw', './mvnw -B test'] },
  { manifest: 'build.gradle', run: 'gradle test', wrapper: ['gradlew', './gradlew test'] },
  { manifest: 'build.gradle.kts', run: 'gradle test', wrapper: ['gradlew', './gradlew test'] },
]

/** Go, Rust and Java projects test in one way each. */
export async function detectOtherToolchains(checkout: Checkout, folder: string): Promise<Found> {
  for (const { manifest, run, wrapper } of toolchains) {
    const path = inFolder(folder, manifest)
    if (!(await checkout.hasFile(path))) continue
    const hasWrapper = wrapper && (await checkout.hasFile(inFolder(folder, wrapper[0])))
    const command = { name: 'test', run: hasWrapper ? wrapper[1] : run, paths: [], why: path }
    return { ...nothingFound, commands: [command] }
  }
  return nothingFound
}

/** The last resort: a Makefile with a target of that name. */
export async function detectMakefile(checkout: Checkout): Promise<Found> {
  const text = await checkout.read('Makefile')
  if (!text || !/^test\s*:(?!=)/m.test(text)) return nothingFound
  return {
    ...nothingFound,
    commands: [{ name: 'test', run: 'make test', paths: [], why: 'target "test" of Makefile' }],
  }
}
