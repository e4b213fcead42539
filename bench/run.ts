/** `node bench/run.ts NAME…` measures; without a name it says what can be measured. */
import { readdirSync } from 'node:fs'
import { formatFigure, isOver, type Bench } from './figure.ts'

const SUFFIX = '.bench.ts'

const known = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length))
  .toSorted()

const load = async (name: string): Promise<Bench> => (await import(`./${name}${SUFFIX}`)) as Bench

async function list(): Promise<number> {
  for (const name of known) console.log(`${name.padEnd(20)} ${(await load(name)).title}`)
  if (known.length === 0) console.log('There are no benches yet.')
  return 0
}

async function measure(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    console.error(`There is no bench ${unknown.join(', ')}. There are: ${known.join(', ') || 'none'}.`)
    return 2
  }
  let overCount = 0
  for (const name of names) {
    const bench = await load(name)
    console.log(`${name}: ${bench.title}`)
    const figures = await bench.run()
    for (const figure of figures) console.log(formatFigure(figure))
    overCount += figures.filter(isOver).length
  }
  return overCount > 0 ? 1 : 0
}

const names = process.argv.slice(2)
process.exitCode = names.length === 0 ? await list() : await measure(names)
