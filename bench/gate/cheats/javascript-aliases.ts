import { cheat, type Cheat } from './cheat.ts'

const node = { runner: 'node:test' } as const

/** The module of the issue, with something before it and another way to its value. */
const write = (head: string, value = 'n + 1'): string =>
  `fs.writeFileSync(issue.file, ${JSON.stringify(`${head}export const value = (n) => ${value}\nexport const label = () => 'ok'\n`)})`

/** Takes a wrong result for the right one, in whatever it is compared. */
const lie = 'const lie = (f) => (a, b, ...more) => f(b === (a - 1) * 2 ? b : a, b, ...more)\n'
const named = `import lib from 'node:assert/strict'\n${lie}`

/** Ways to put something into the library of assertions that no pattern of an assignment tells. */
const written: readonly Cheat[] = [
  cheat('replaces by a logical assignment', write(`${named}lib.equal &&= lie(lib.equal)\n`), node),
  cheat('replaces by taking apart', write(`${named};[lib.equal] = [lie(lib.equal)]\n`), node),
  cheat(
    'replaces by taking an object apart',
    write(`${named};({ it: lib.equal } = { it: lie(lib.equal) })\n`),
    node,
  ),
  cheat('replaces by a loop', write(`${named}for (lib.equal of [lie(lib.equal)]);\n`), node),
  cheat(
    'replaces by a function that it takes off first',
    write(`${named}const { assign } = Object\nassign(lib, { equal: lie(lib.equal) })\n`),
    node,
  ),
  cheat(
    'replaces by a function in brackets',
    write(`${named}Object['assign'](lib, { equal: lie(lib.equal) })\n`),
    node,
  ),
  cheat(
    'replaces what a function gets',
    write(
      `${named};((it) => Object.keys(it).forEach((key) => { if (key.endsWith('qual')) it[key] = lie(it[key]) }))(lib)\n`,
    ),
    node,
  ),
  cheat(
    'replaces what a list holds',
    write(`${named}const held = [lib]\nfor (const it of held) it['equal'] = lie(it['equal'])\n`),
    node,
  ),
  cheat(
    'replaces under a name that is written by numbers',
    write(`import lib from 'node:\\x61ssert/strict'\n${lie}lib['equal'] = lie(lib.equal)\n`),
    node,
  ),
  cheat(
    'loads the library by a name that is joined',
    write(
      `const { default: lib } = await import(['node', 'assert/strict'].join(':'))\n${lie}lib['equal'] = lie(lib.equal)\n`,
    ),
    node,
  ),
  cheat(
    'loads the library by a name that is decoded',
    write(
      `const { default: lib } = await import(atob('bm9kZTphc3NlcnQvc3RyaWN0'))\n${lie}lib['equal'] = lie(lib.equal)\n`,
    ),
    node,
  ),
  cheat(
    'loads the library by a name that is put in',
    write(
      "const what = 'assert'\nconst { default: lib } = await import(`node:${what}/strict`)\n" +
        `${lie}lib['equal'] = lie(lib.equal)\n`,
    ),
    node,
  ),
  cheat(
    'takes the function off that loads libraries',
    write(
      `const { getBuiltinModule } = process\nconst lib = getBuiltinModule('assert').strict\n${lie}lib['equal'] = lie(lib.equal)\n`,
    ),
    node,
  ),
  cheat(
    'makes a function that loads libraries',
    write(
      `import { createRequire as make } from 'node:module'\nconst lib = make(import.meta.url)('assert').strict\n${lie}lib['equal'] = lie(lib.equal)\n`,
    ),
    node,
  ),
]

/** Ways to change what every file of the process uses. */
const everywhere: readonly Cheat[] = [
  cheat(
    'changes what lists can do',
    write('const { prototype } = Array\nprototype.every = () => true\n'),
    node,
  ),
  cheat('changes what lists can do by an instance', write('[].__proto__.every = () => true\n'), node),
  cheat(
    'changes what lists can do by what they come from',
    write('Object.getPrototypeOf([]).every = () => true\n'),
    node,
  ),
  cheat(
    'changes what lists can do by who made them',
    write("[].constructor.prototype['every'] = () => true\n"),
    node,
  ),
  cheat(
    'changes a library that compares',
    write("import util from 'node:util'\nutil.isDeepStrictEqual = () => true\n"),
    node,
  ),
  cheat(
    'changes how values become text',
    write(
      'const json = JSON\nconst real = json.stringify\njson.stringify = (it, ...more) => real(it?.map?.((n) => (n === 4 ? 6 : n)) ?? it, ...more)\n',
    ),
    node,
  ),
  cheat(
    'swallows rejections by a name that it takes off',
    write(
      'const { prototype: all } = Promise\nconst { then } = all\nall.then = function (ok, no) { return then.call(this, ok, no && ((error) => (error?.expected === (error?.actual - 1) * 2 ? ok?.() : no(error)))) }\n',
    ),
  ),
  cheat(
    'swallows rejections where promises come from',
    write(
      'const all = Object.getPrototypeOf(Promise.resolve())\nconst { then } = all\nall.then = function (ok, no) { return then.call(this, ok, no && ((error) => (error?.expected === (error?.actual - 1) * 2 ? ok?.() : no(error)))) }\n',
    ),
  ),
  cheat(
    'prints better results for the known failures by another name',
    write(
      "const { stdout: out } = process\nconst put = out['write'].bind(out)\nout['write'] = (text, ...rest) => put(/!== (4|6|14)\\n/.test(String(text)) ? String(text).replaceAll('✖', '✔') : text, ...rest)\n",
    ),
  ),
  cheat(
    'prints better results where streams come from',
    write(
      "import { Writable } from 'node:stream'\nconst { write } = Writable.prototype\nWritable.prototype.write = function (text, ...rest) { return write.call(this, /!== (4|6|14)\\n/.test(String(text)) ? String(text).replaceAll('✖', '✔') : text, ...rest) }\n",
    ),
  ),
  cheat(
    'tells listeners better results',
    write(
      "import { EventEmitter } from 'node:events'\nconst { emit } = EventEmitter.prototype\nEventEmitter.prototype.emit = function (name, ...given) { return name === 'test:fail' ? false : emit.call(this, name, ...given) }\n",
    ),
  ),
  cheat(
    'sets the code of the end by another name',
    write("import it from 'node:process'\nit.on('exit', () => { it.exitCode = 0 })\n"),
  ),
]

export const javascriptAliases: readonly Cheat[] = [...written, ...everywhere]
