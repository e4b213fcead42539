/** `node bench/run.ts NAME[:PART]…` measures; without a name it lists all names. */
import { readdirSync } from 'node:fs'
import { formatFigure, isOver, type Bench } from './figure.ts'

const SUFFIX = '.bench.ts'

const known = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length))
  .toSorted()

const load = async (name: string): Promise<Bench> => (await import(`./${name}${SUFFIX}`)) as Bench

async function list(): Promise<number> {
  for (const name of known) {
    const { title, parts = [] } = await load(name)
    console.log(`${name.padEnd(20)} ${title}`)
    if (parts.length > 0) console.log(`${' '.repeat(21)}${name}:PART measures one of ${parts.join(', ')}`)
  }
  if (known.length === 0) console.log('There are no benches yet.')
  return 0
}

interface Asked {
  readonly name: string
  readonly part?: string
}

function parseAsked(text: string): Asked {
  const at = text.indexOf(':')
  return at === -1 ? { name: text } : { name: text.slice(0, at), part: text.slice(at + 1) }
}

async function measure(all: readonly Asked[]): Promise<number> {
  const unknown = all.flatMap(({ name }) => (known.includes(name) ? [] : [name]))
  if (unknown.length > 0) {
    console.error(`There is no bench ${unknown.join(', ')}. There are: ${known.join(', ') || 'none'}.`)
    return 2
  }
  let overCount = 0
  for (const { name, part } of all) {
    const bench = await load(name)
    const { title, parts = [] } = bench
    if (part !== undefined && !parts.includes(part)) {
      console.error(`${name} has no part ${part}. It has: ${parts.join(', ') || 'none'}.`)
      return 2
    }
    console.log(part === undefined ? `${name}: ${title}` : `${name}, ${part} only: ${title}`)
    const figures = await bench.run(part)
    for (const figure of figures) console.log(formatFigure(figure))
    overCount += figures.filter(isOver).length
  }
  return overCount > 0 ? 1 : 0
}

const names = process.argv.slice(2)
process.exitCode = names.length === 0 ? await list() : await measure(names.map(parseAsked))
