import type { ThreadData } from './sqlite-thread.ts'
import { ThreadConnection } from './thread-connection.ts'

/** What is not copied into the file yet takes room beside it. */
const mostUncopied = 4

/**
 * A thread that writes, with another one that copies what was committed into the database file: that waits for the disk,
 * and nobody has to wait for it.
 */
export class CopyingConnection extends ThreadConnection {
  readonly #copier: () => ThreadConnection
  #opened: ThreadConnection | null = null
  #copying: Promise<void> = Promise.resolve()
  #uncopied = 0

  constructor(entry: string, data: ThreadData, onEnd: () => void) {
    super(entry, { ...data, isCopiedElsewhere: true }, () => {
      void this.#opened?.close().catch(() => undefined)
      onEnd()
    })
    this.#copier = () =>
      (this.#opened ??= new ThreadConnection(
        entry,
        { ...data, newObjectsMb: 1 },
        () => (this.#opened = null),
      ))
  }

  override async beginWrite(): Promise<void> {
    if (this.#uncopied >= mostUncopied) {
      await this.#copying
      this.#uncopied = 0
    }
    await super.beginWrite()
  }

  override async commit(): Promise<void> {
    await super.commit()
    this.#uncopied += 1
    // Where it fails, such as on a full disk, nothing is lost: whoever writes or closes next copies it.
    this.#copying = this.#copying.then(() => this.#copier().checkpoint()).catch(() => undefined)
  }

  override async close(): Promise<void> {
    await this.#copying
    await this.#opened?.close()
    await super.close()
  }
}
