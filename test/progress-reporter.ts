import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

const everyMs = 20_000
const shownSlow = 10

/** Prints every twenty seconds how far the run is and which tests it waits for, and at the end the slowest files. */
export default class ProgressReporter implements Reporter {
  readonly #startedAt = Date.now()
  readonly #running = new Map<string, number>()
  readonly #tookMs = new Map<string, number>()
  #files = 0
  #timer: NodeJS.Timeout | undefined

  onTestRunStart(specifications: readonly unknown[]): void {
    this.#files = specifications.length
    this.#timer = setInterval(() => console.log(this.#progress()), everyMs)
    this.#timer.unref()
  }

  onTestModuleStart(module: TestModule): void {
    this.#running.set(nameOf(module), Date.now())
  }

  onTestModuleEnd(module: TestModule): void {
    const name = nameOf(module)
    this.#tookMs.set(name, Date.now() - (this.#running.get(name) ?? Date.now()))
    this.#running.delete(name)
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer)
    if (this.#tookMs.size <= shownSlow) return
    const slow = [...this.#tookMs].toSorted(([, a], [, b]) => b - a).slice(0, shownSlow)
    console.log(`slowest: ${slow.map(([name, ms]) => `${name} ${seconds(ms)}`).join(', ')}`)
  }

  #progress(): string {
    const now = Date.now()
    const running = [...this.#running].map(([name, since]) => `${name} ${seconds(now - since)}`)
    return `progress: ${this.#tookMs.size} of ${this.#files} files after ${seconds(now - this.#startedAt)}; running: ${running.join(', ') || 'none'}`
  }
}

const nameOf = ({ moduleId }: TestModule): string => relative(process.cwd(), moduleId)

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`
