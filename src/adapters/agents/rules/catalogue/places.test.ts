import { expect, test } from 'vitest'
import { codeFiles } from '../../../../../test/fixtures/code-files.ts'
import { builtInRules, defaultRules } from '../built-in-rules.ts'
import { parseRules } from '../parse-rules.ts'
import { reviewFiles } from '../review-files.ts'
import { scanSources } from '../scan-sources.ts'

/** What a linter says of a place that nobody would change, and what it says of one beside it that somebody would. */
const places: readonly (readonly [rule: string, path: string, worth: string, fine: string])[] = [
  [
    'oxc/bad-comparison-sequence',
    'a.js',
    'export const f = (a, b, c) => a < b < c\n',
    "export const f = (mode, flip) => (mode === 'middle' ? 1 : mode === 'after' !== !!flip ? 2 : 3)\n",
  ],
  ['eslint/no-empty-pattern', 'a.ts', 'const {} = load()\n', 'export const f = ({}: Options) => 1\n'],
  [
    'typescript/no-wrapper-object-types',
    'a.ts',
    'export class A {\n  name: String\n}\n',
    'export type Kind = typeof Id | String | RegExp\n',
  ],
  [
    'react/jsx-key',
    'a.tsx',
    "import React from 'react'\nexport const f = (rows) => rows.map((row) => <A />)\n",
    "import React from 'react'\nexport const f = (rows) => [rows.length, <A />]\n",
  ],
  [
    'eslint/preserve-caught-error',
    'a.js',
    'try { a() } catch (error) { throw new Error(`no a: ${error.message}`) }\n',
    "try { a() } catch (error) {\n  if (error.code === 'ENOENT') {\n    throw new Error('there is no a')\n  }\n}\n",
  ],
  [
    'eslint/no-unassigned-vars',
    'a.js',
    'export function f() { let a; return a }\n',
    'export function f() { var a; var a = g(); return a }\n',
  ],
  [
    'eslint/no-unused-vars',
    'a.js',
    "import b from 'b'\nexport const a = 1\n",
    "import { Panel } from 'b'\nexport const f = () => { const panel = new Panel('#id') }\n",
  ],
  [
    'eslint/no-irregular-whitespace',
    'a.js',
    'export const a =\u00A01\n',
    '//\u00A0a heading\nexport const a = 1\n',
  ],
  ['ruff/PIE794', 'a.py', 'class A:\n    x = 1\n    x = 2\n', 'class A:\n    x: int\n    y = 1\n    x = 2\n'],
  [
    'ruff/S113',
    'a.py',
    'import requests\nrequests.get(url)\n',
    'import requests\nrequests.get(url, **options)\n',
  ],
  ['ruff/S506', 'a.py', 'import yaml\nyaml.load(text)\n', 'import yaml\nyaml.load(text, Loader=OwnLoader)\n'],
  [
    'ruff/S201',
    'a.py',
    'from flask import Flask\napp = Flask(__name__)\napp.run(debug=True)\n',
    'from flask import Flask\napp = Flask(__name__)\nif settings.debug:\n    app.run(debug=True)\n',
  ],
  ['ruff/F821', 'a.py', 'print(nothing)\n', 'from own import Own\ndef f(kind: Own["Half-yearly"]): ...\n'],
  ['ruff/F401', 'a.py', 'import os\n', 'if tuned:\n    import os\n'],
  ['ruff/B005', 'a.py', "name.lstrip('common/')\n", "name.strip('@@')\n"],
  [
    'ruff/RUF032',
    'a.py',
    'from decimal import Decimal\nDecimal(0.1)\n',
    'from decimal import Decimal\nDecimal(0.0)\n',
  ],
  [
    'ruff/PLE1205',
    'a.py',
    "import logging\nlogger = logging.getLogger(__name__)\nlogger.debug('skipped', row)\n",
    "import logging\nlogger = logging.getLogger(__name__)\nlogger.debug('skipped {0.name}', row)\n",
  ],
  [
    'py/raise-without-from',
    'a.py',
    'try:\n    a()\nexcept OSError as e:\n    raise Lost(f"no {e}")\n',
    'try:\n    a()\nexcept OSError as e:\n    if e.errno == 2:\n        raise Lost("a")\n    raise\n',
  ],
  [
    'py/insecure-random',
    'a.py',
    'import random\ntoken = random.choice(letters)\n',
    'import random\napi_key = random.choice(api_keys)\n',
  ],
  [
    'eslint/no-async-promise-executor',
    'a.js',
    'export const f = () => new Promise(async (done) => { done(await load()) })\n',
    'export const f = () =>\n  new Promise(async (done, fail) => {\n    try {\n      done(await load())\n    } catch (error) {\n      fail(error)\n    }\n  })\n',
  ],
  [
    'eslint/no-constant-binary-expression',
    'a.js',
    'export const f = () => new Date() || now()\n',
    'export const f = (text) => {\n  try {\n    return new RegExp(text) !== null\n  } catch {\n    return false\n  }\n}\nexport const g = typeof window === undefined\n',
  ],
  [
    'eslint/no-loss-of-precision',
    'a.js',
    'export const a = 9007199254740993\n',
    'export const a = 0.12793819534675215697405\n',
  ],
  [
    'eslint/no-unsafe-optional-chaining',
    'a.js',
    "export const f = (a) => 'key' in a.b?.c\n",
    "export const f = (a) => typeof a.b?.c === 'object' && 'key' in a.b?.c\nexport const g = (a) => [...(a || [])?.filter(Boolean)]\n",
  ],
  [
    'promise/no-multiple-resolved',
    'a.js',
    'export const f = () =>\n  new Promise((resolve, reject) => {\n    load((error, data) => {\n      if (error) {\n        reject(error)\n      }\n      resolve(data.rows)\n    })\n  })\n',
    'export const f = () =>\n  new Promise((resolve, reject) => {\n    load((error, data) => {\n      if (error) {\n        reject(error)\n      }\n      resolve(data)\n    })\n  })\n',
  ],
  [
    'react-hooks/rules-of-hooks',
    'a.jsx',
    "import { useState } from 'react'\nexport const count = () => {\n  const [rows] = useState([])\n  return rows.length\n}\n",
    "import { useState } from 'react'\nexport const rowsOf = () => {\n  const [rows] = useState([])\n  return <p>{rows}</p>\n}\nuseTheme()\n",
  ],
  [
    'oxc/double-comparisons',
    'a.js',
    'export const f = (a, b) => a === b || a > b\n',
    'export const f = (a, b) => a < b || a > b\n',
  ],
  [
    'js/negative-length',
    'a.js',
    'export const f = (list) => list.length < 0\n',
    'export const f = (list) => list.length >= 0 && list.length < 4\nexport const g = (file) => file.size < 0\n',
  ],
  [
    'eslint/no-unused-vars',
    'a.jsx',
    "const path = require('path')\nexport const f = () => 1\n",
    "const React = require('react')\nexport const f = () => <p />\n",
  ],
  [
    'eslint/no-unused-vars',
    'a.ts',
    'export function f() {\n  const post = 1\n}\n',
    'declare namespace View {\n  const post: (data: unknown) => void\n}\nexport const f = 1\n',
  ],
  [
    'eslint/no-unused-vars',
    'a.js',
    '(function () {\n  let state = null\n  state = 1\n})()\n',
    'let state = null\nfunction load() {\n  state = 1\n}\nload()\n',
  ],
  [
    'eslint/preserve-caught-error',
    'a.js',
    'try { a() } catch (error) { log(error); throw new Error(`no a: ${error}`) }\n',
    "try { a() } catch (error) {\n  log(error)\n  try {\n    if (!b()) throw new Error('no b')\n  } catch {\n    c()\n  }\n}\n",
  ],
  [
    'ruff/PIE794',
    'a.py',
    'class A:\n    x = None\n    x = 2\n',
    'class A:\n    x = None\n    def get(self): ...\n    x = property(get)\n',
  ],
  [
    'ruff/PLE0101',
    'a.py',
    'class A(B):\n    def __init__(self):\n        return 1\n',
    'class A(B):\n    def __init__(self):\n        return super().__init__(1)\n',
  ],
  [
    'py/raise-without-from',
    'a.py',
    'try:\n    a()\nexcept OSError as e:\n    raise Lost(f"no {e}")\n',
    'try:\n    a()\nexcept OSError as e:\n    raise StopIteration\n',
  ],
  [
    'py/raise-without-from',
    'a.py',
    'try:\n    a()\nexcept OSError as e:\n    raise Lost("no {}".format(e))\n',
    'try:\n    a()\nexcept OSError as e:\n    if a:\n        raise web.HTTPError(400, f"no {e}")\n    if b:\n        raise Lost("no", e)\n    if c:\n        raise Lost(str(e))\n    log(e)\n    if d:\n        raise Lost("gone")\n    raise task.retry(exc=e)\n',
  ],
  [
    'py/bare-except',
    'a.py',
    'try:\n    a()\nexcept:\n    pass\n',
    "try:\n    a()\nexcept:\n    logger.exception('no a')\n",
  ],
  [
    'ruff/F401',
    'a/apps.py',
    'def load():\n    from . import receivers\n',
    'class A:\n    def ready(self):\n        from . import receivers\n',
  ],
  [
    'ruff/F401',
    'a.py',
    'from a import (\n    b, c,\n)\n',
    'from a import (  # NOQA: handed on\n    b, c,\n)\n',
  ],
  [
    'ruff/F811',
    'a/apps.py',
    'from a import b\nfrom c import b\nb()\n',
    'class A:\n    def ready(self):\n        from . import b\n        from .c import b\n',
  ],
  [
    'ruff/F821',
    'a.py',
    'print(basestring)\n',
    'import sys\nif sys.version_info > (3,):\n    texts = (str,)\nelse:\n    texts = (basestring,)\n',
  ],
  [
    'ruff/DTZ003',
    'a.py',
    "from datetime import datetime\nname = datetime.utcnow().strftime('%Y')\n",
    'from datetime import datetime\nage = datetime.utcnow() - row.created\n',
  ],
  [
    'ruff/LOG002',
    'a.py',
    'import logging\nlogger = logging.getLogger(__file__)\n',
    "import logging\nlogger = logging.getLogger(__file__)\nif __name__ == '__main__':\n    main()\n",
  ],
  [
    'eslint/no-unused-vars',
    'a.ts',
    'export function f() {\n  const last = 1\n}\n',
    'export type Last<T> = T extends [...infer Head, infer End] ? End : never\n',
  ],
  [
    'eslint/no-unused-vars',
    'a.js',
    "import Node from './node.js'\nexport const f = () => 1\n",
    "import Node from './node.js'\n/** @param {Node[]} all */\nexport const f = (all) => all\n",
  ],
  [
    'eslint/no-unused-vars',
    'a.js',
    "const a = require('a')\nfunction show() {}\n",
    "function show() {\n  const draw = require('draw')\n  draw()\n}\n",
  ],
  [
    'eslint/preserve-caught-error',
    'a.js',
    'try { a() } catch (error) { throw new Error(`no a: ${error.message}`) }\n',
    'try { a() } catch (error) {\n  if (b) throw new Error(`no a: ${error.stack}`)\n  logger.error("no a", error)\n  throw new Error("no a")\n}\n',
  ],
  [
    'oxc/const-comparisons',
    'a.js',
    'export const f = (a) => a < 5 && a > 9\n',
    'export const f = (a) => a.length || 0 > 0\n',
  ],
  [
    'react/style-prop-object',
    'a.jsx',
    'import React from \'react\'\nexport const f = () => <p style="top: 0">a</p>\n',
    'import { h } from \'preact\'\nexport const f = () => <p style="top: 0">a</p>\n',
  ],
  [
    'react/jsx-no-script-url',
    'a.jsx',
    'import React from \'react\'\nexport const f = () => <a href="javascript:">a</a>\n',
    'import { h } from \'preact\'\nexport const f = () => <a href="javascript:">a</a>\n',
  ],
  [
    'react-hooks/rules-of-hooks',
    'a.jsx',
    "import { useState } from 'react'\nexport const useRows = (a) => {\n  if (a) return useState(1)\n  return null\n}\n",
    "import { useContext } from 'react'\nexport const useRows = (a) => {\n  if (a) return useTableContext()\n  return null\n}\n",
  ],
  [
    'js/parseint-map',
    'a.js',
    'export const f = (list) => list.map(parseInt)\n',
    'export const f = (text) => Optional.ofNullable(text).map(parseInt)\n',
  ],
  [
    'js/missing-callback-return',
    'a.js',
    'export const all = list.map((a) => { send(a) })\n',
    'list?.map((a) => { send(a) })\n',
  ],
  [
    'js/insecure-random',
    'a.js',
    'export function makeToken() { return `t-${Math.random()}` }\n',
    'export function idForToken(token) { return `t-${Math.random()}` }\n',
  ],
  ['ruff/B033', 'a.py', "words = {'on', 'on'}\n", "words = {'1', 1, True}\n"],
  [
    'unicorn/no-invalid-fetch-options',
    'a.js',
    "export const f = (body) => fetch('/a', { body })\n",
    'export const f = (request, body) => fetch(request, { body })\n',
  ],
  [
    'eslint/constructor-super',
    'a.js',
    'export class A extends B {\n  constructor() {\n    this.b = 1\n  }\n}\n',
    'export class A extends B {\n  constructor(c) {\n    super(c), (this.b = 1)\n  }\n}\n',
  ],
  [
    'eslint/no-self-assign',
    'a.js',
    'export const f = (data) => { data.href = data.href }\n',
    'export const f = () => { window.location.hash = window.location.hash }\n',
  ],
  [
    'eslint/no-self-assign',
    'a.js',
    'export const f = (track) => { track.cues = track.cues }\n',
    'export class Track {\n  get cues() { return find(this) }\n  update() { this.cues = this.cues }\n}\n',
  ],
  [
    'eslint/no-self-assign',
    'a.js',
    "export const f = (track) => { define(track, 'cues'); track.cues = track.cues }\n",
    'export const f = (track) => {\n  Object.defineProperties(track, { cues: { enumerable: true, get() { return find() } } })\n  track.cues = track.cues\n}\n',
  ],
  [
    'eslint/no-useless-catch',
    'a.js',
    'export function f() {\n  try {\n    g()\n  } catch (error) {\n    throw error\n  }\n}\n',
    'export function f() {\n  // eslint-disable-next-line no-useless-catch\n  try {\n    g()\n  } catch (error) {\n    throw error\n  }\n}\n',
  ],
  [
    'eslint/no-unreachable',
    'a.js',
    "export function f(a) {\n  throw new Error('no a')\n  b(a)\n}\n",
    "export function f(a) {\n  throw new Error('NOT IMPLEMENTED')\n\n  // The rest of it.\n  b(a)\n}\n",
  ],
  [
    'eslint/no-unused-vars',
    'a.tsx',
    'export function A() {\n  const [open, setOpen] = useState(false)\n  return <B open={open} />\n}\n',
    'export function A() {\n  const [query, setQuery] = useSearchParams()\n  return <B query={query} />\n}\n',
  ],
  ['ruff/F821', 'a.py', "print(gone('a'))\n", "print(_n('match', 'matches', 2))\n"],
  [
    'ruff/RUF024',
    'a.py',
    'found = dict.fromkeys(names, [])\n',
    "tools = dict.fromkeys(names, ['7z', 'x'])\n",
  ],
  [
    'eslint/constructor-super',
    'a.js',
    'export class A extends B {\n  constructor() {\n    this.b = super.b\n  }\n}\n',
    'export class A extends B {\n  constructor(c) {\n    const made = super(c)\n    this.made = made\n  }\n}\n',
  ],
  [
    'react-hooks/rules-of-hooks',
    'a.jsx',
    "import React, { useEffectEvent } from 'react'\nexport function A() {\n  const close = useEffectEvent(() => 1)\n  return <B close={close} />\n}\n",
    "import React from 'react'\nimport { useEffectEvent } from 'own-hooks'\nexport function A() {\n  const close = useEffectEvent(() => 1)\n  return <B close={close} />\n}\n",
  ],
  [
    'eslint/preserve-caught-error',
    'a.js',
    'try { a() } catch (error) {\n  throw new Error(`no a: ${error.message}`)\n}\n',
    "try { a() } catch (error) {\n  orchestra.getOwnLogger().error({ id, error, msg: 'no a' })\n  throw new Error(`no a: ${id}`)\n}\n",
  ],
  [
    'eslint/no-unreachable',
    'a.js',
    'export function f(a) {\n  return 1\n  b(a)\n}\n',
    'export function f(a) {\n  return 1\n\n  // eslint-disable-next-line no-unreachable\n  if (a) throw new Error(a)\n  b(a)\n}\n',
  ],
  [
    'eslint/no-unused-vars',
    'a.ts',
    "import c from 'c'\nexport const a = 1\n",
    "export const a = 1\ndeclare module 'b' {\n  namespace B {\n    let bridge: Bridge\n  }\n}\n",
  ],
  [
    'ruff/PLE0101',
    'a.py',
    'class A(B):\n    def __init__(self):\n        return 1\n',
    'class A(B):\n    def __init__(self):\n        made = super(A, self).__init__()\n        self.a = 1\n        return made\n',
  ],
  [
    'ruff/PLE0101',
    'a.py',
    'class A(B):\n    def __init__(self):\n        return self\n',
    'class A(B):\n    def __init__(self, *args):\n        return super(A, self).__init__(*args)\n',
  ],
  [
    'ruff/PLE0302',
    'a.py',
    'class A:\n    def __exit__(kind, value):\n        pass\n',
    'class IA(Interface):\n    def __exit__(kind, value, trace):\n        pass\n',
  ],
  ['ruff/PLW0128', 'a.py', '(name, name) = f()\n', '(a, name, a) = f()\n(foo, other, foo) = f()\n'],
  [
    'ruff/S506',
    'a.py',
    'import yaml\nyaml.load(text, Loader=yaml.Loader)\n',
    'import yaml\nclass Loader(yaml.SafeLoader):\n    pass\nyaml.load(text, Loader)\n',
  ],
  [
    'ruff/F822',
    'a.py',
    '__all__ = ["name"]\n',
    '__all__ = ["name"]\ndef __getattr__(name):\n    return find(name)\n',
  ],
  [
    'ruff/B039',
    'a.py',
    'from contextvars import ContextVar\nnames = ContextVar("names", default=[])\n',
    'from contextvars import ContextVar\nconsole = ContextVar("console", default=Console())\n',
  ],
  [
    'ruff/S323',
    'a.py',
    'import ssl\ncontext = ssl._create_unverified_context()\n',
    'import ssl\ncontext = (\n    ssl.create_default_context()\n    if verify\n    else ssl._create_unverified_context()\n)\n',
  ],
  [
    'eslint/no-self-assign',
    'a.js',
    'export const f = (a) => { a.b = a.b }\n',
    'export const f = (a) => { a = /** @type {number} */ (a); return a }\n',
  ],
  [
    'eslint/no-unassigned-vars',
    'a.js',
    'export function f() { let a; return a }\n',
    '/**\n * The file that is open. It is undefined, which stands for all files.\n */\nvar CURRENT\nexport const f = () => CURRENT\n',
  ],
  [
    'promise/no-multiple-resolved',
    'a.js',
    'export const f = () => new Promise((resolve, reject) => { if (a) { resolve(1) } reject(g()) })\n',
    'export const f = () => new Promise((resolve, reject) => {\n  try {\n    resolve(a ?? null)\n  } catch (error) {\n    log(`no a: ${error}`)\n    reject(error)\n  }\n})\n',
  ],
  [
    'ruff/INT003',
    'a.py',
    'from gettext import gettext as _\nprint(_("no %s" % name))\n',
    'def _(pattern, text):\n    return pattern + text\nprint(_("no %s" % name, text))\n',
  ],
  ['ruff/PLE0604', 'a.py', '__all__ = ("A", 1)\n', 'from b import B\n__all__ = (B.__name__, "c")\n'],
  [
    'py/raise-without-from',
    'a.py',
    'try:\n    a()\nexcept ValueError as e:\n    raise OwnError("no a: %s" % e)\n',
    'try:\n    a()\nexcept ValueError as e:\n    raise OwnError("no a: %s" % e, cause=e.__traceback__)\n',
  ],
  [
    'py/raise-without-from',
    'a.py',
    'try:\n    a()\nexcept ValueError as e:\n    raise OwnError("no a: %s" % e)\n',
    'try:\n    from urllib.request import urlopen\nexcept ImportError:\n    from urllib2 import urlopen\ntry:\n    urlopen(a)\nexcept ValueError as e:\n    raise OwnError("no a: %s" % e)\n',
  ],
  ['ruff/PLE0604', 'a.py', '__all__ = ("A", 1)\n', 'from . import axes\n__all__ = ("A", *axes.__all__)\n'],
  ['ruff/PLE0605', 'a.py', "__all__ = ('A')\n", 'from .b import __all__ as more\n__all__ = more + ["A"]\n'],
  [
    'ruff/PLW0128',
    'a.py',
    'name, name = f()\n',
    '(size, unit), (rate, unit) = [f(way) for way in ("in", "out")]\n',
  ],
  [
    'ruff/S113',
    'a.py',
    'import requests\ndef f(url):\n    return requests.get(url)\n',
    'import requests\ndef f(url):\n    return requests.get(url, timeout=None)\n',
  ],
  [
    'ruff/S113',
    'a.py',
    'import requests\ndef f(url):\n    return requests.get(url)\n',
    'import requests, sys\nurl = sys.argv[1]\nprint(requests.get(url))\n',
  ],
  ['ruff/F821', 'a.py', 'print(FIRST)\n', 'Kind._convert_("FIRST", __name__, known)\nprint(FIRST)\n'],
  [
    'eslint/no-useless-catch',
    'a.js',
    'export function f() {\n  try {\n    g()\n  } catch (error) {\n    throw error\n  }\n}\n',
    'export function f() {\n  try {\n    g()\n  } catch (error) {\n    // Nobody can do anything about it.\n    throw error\n  }\n}\n',
  ],
  [
    'eslint/no-unused-vars',
    'a.js',
    "const a = require('a')\nmodule.exports = 1\n",
    "module.exports = () => {\n  const a = require('a')\n}\n",
  ],
  [
    'eslint/preserve-caught-error',
    'a.js',
    'try { a() } catch (error) { throw new Error(`no a: ${error.message}`) }\n',
    "try { a() } catch (error) {\n  logging.error('no a', error)\n  throw new Error(`no a: ${error.message}`)\n}\n",
  ],
  [
    'ruff/RUF024',
    'a.py',
    'found = dict.fromkeys(names, {})\n',
    'found = dict.fromkeys(names, {})\nfor name in names:\n    found[name] = find(name)\n',
  ],
  ['ruff/B005', 'a.py', "name.lstrip('class:')\n", "name.strip('|{} ')\n"],
  [
    'ruff/F821',
    'a.py',
    'print(best)\n',
    'def f(rows):\n    for row in rows:\n        print(best)\n        best = row\n    del best\n',
  ],
  [
    'py/bare-except',
    'a.py',
    'try:\n    a()\nexcept:\n    b = 1\n',
    'try:\n    # It is slow to load.\n    import scipy\nexcept:\n    scipy = None\n',
  ],
  [
    'eslint/preserve-caught-error',
    'a.js',
    'try { a() } catch (error) { throw new Error(`no a: ${error.message}`) }\n',
    "try { a() } catch (error) {\n  const isDeep = isMaxStack(error.message)\n  if (isDeep) {\n    throw new Error('a is circular')\n  }\n  throw error\n}\n",
  ],
  [
    'eslint/no-unassigned-vars',
    'a.js',
    'export function f() { let a; return a }\n',
    'export function f(options) {\n  let caching\n  if (options.caching) {\n    // TODO: hand it on\n  }\n  return caching\n}\n',
  ],
  [
    'eslint/no-unreachable',
    'a.js',
    'export function f(a) {\n  return 1\n  b(a)\n}\n',
    "export function f(a) {\n  while (true) {\n    if (a()) return 1\n  }\n  throw new Error('no a')\n}\n",
  ],
  [
    'eslint/no-sparse-arrays',
    'a.js',
    'export const a = [1, , 2]\n',
    'export const f = (text) => (/v(\\d+)/.exec(text) || [, 0])[1]\n',
  ],
  [
    'eslint/no-debugger',
    'a.js',
    'export function f() {\n  debugger\n}\n',
    'export function f() {\n  // The debugger pauses here.\n  debugger\n}\n',
  ],
  [
    'react-hooks/rules-of-hooks',
    'a.jsx',
    "import React, { useState } from 'react'\nexport function providers() {\n  const [a] = useState(1)\n  return a\n}\n",
    "import React, { useState } from 'react'\nexport function renderProviders() {\n  const [a] = useState(1)\n  return a\n}\n",
  ],
  [
    'ruff/B022',
    'a.py',
    'import contextlib\nwith contextlib.suppress():\n    a()\n',
    'import contextlib\nlock = given or contextlib.suppress()\n',
  ],
  ['ruff/B005', 'a.py', "name.lstrip('data:')\n", "name.rstrip('Gi G')\n"],
  [
    'ruff/S507',
    'a.py',
    'import paramiko\nssh = paramiko.SSHClient()\nssh.set_missing_host_key_policy(paramiko.AutoAddPolicy())\n',
    'import paramiko\nssh = paramiko.SSHClient()\nif strict:\n    ssh.set_missing_host_key_policy(paramiko.RejectPolicy())\nelse:\n    ssh.set_missing_host_key_policy(paramiko.AutoAddPolicy())\n',
  ],
  [
    'py/raise-without-from',
    'a.py',
    'try:\n    a()\nexcept ValueError as e:\n    raise OwnError("no a")\n',
    'try:\n    a()\nexcept ValueError as e:\n    raise HTTPException(status_code=400, detail="no a")\n',
  ],
  [
    'py/raise-without-from',
    'a.py',
    'try:\n    a()\nexcept ValueError as e:\n    raise OwnError("no a: %s" % e)\n',
    'try:\n    a()\nexcept ValueError as e:\n    raise OwnError(e.msg)\n',
  ],
  [
    'eslint/no-loss-of-precision',
    'a.js',
    'export const a = 5123000000000000001\n',
    'export const a = 9999999999999999\n',
  ],
  [
    'eslint/preserve-caught-error',
    'a.js',
    'try { a() } catch (error) { throw new Error(`no a: ${error.message}`) }\n',
    "try { a() } catch (error) { throw new AggregateError([new Error('no a'), error]) }\n",
  ],
  [
    'eslint/no-unused-vars',
    'a.js',
    'export const f = () => {\n  const rest = g()\n}\n',
    'export const f = () => {\n  const rest = g() // Not yet used.\n}\n',
  ],
  [
    'eslint/no-import-assign',
    'a.js',
    "import { b } from 'b'\nb = 1\nexport { b }\n",
    "import * as b from 'b'\nb.c = 1\nexport { b }\n",
  ],
  ['ruff/B002', 'a.py', 'b = --a\n', 'b = -(-a)\n'],
  ['ruff/PLW0177', 'a.py', 'import numpy as np\nb = a == np.nan\n', 'import numpy as np\nb = a is np.nan\n'],
  [
    'ruff/F401',
    'a.py',
    'from own import Own\n',
    'from own import Own\ndef f(a):\n    # type: (Own) -> None\n    pass\n',
  ],
  [
    'py/raise-without-from',
    'a.py',
    'try:\n    a()\nexcept ValueError as e:\n    raise OwnError("no a: %s" % e)\n',
    'try:\n    a()\nexcept ValueError as e:\n    raise ArgumentTypeError("no a: %s" % e)\n',
  ],
  [
    'unicorn/no-accessor-recursion',
    'a.js',
    'export const a = {\n  get b() {\n    return this.b\n  },\n}\n',
    'export class A {\n  get node() {\n    if (!this.made) {\n      this.made = make(() => {\n        this.node.focus()\n      })\n    }\n    return this.made\n  }\n}\n',
  ],
  [
    'eslint/no-unassigned-vars',
    'a.ts',
    'export function f() { let a: string | undefined; return a }\n',
    '/** It is undefined, which stands for all. */\nlet version: string | undefined\nexport { version }\n',
  ],
  [
    'eslint/no-unreachable',
    'a.js',
    'export function f(a) {\n  return 1\n  b(a)\n}\n',
    "export function f() {\n  throw new Error('`block()` is not implemented')\n  return () => undefined\n}\n",
  ],
  ['ruff/F821', 'a.py', 'print(raw_input())\n', '#!/usr/bin/python2.7\nprint(raw_input())\n'],
  ['ruff/F401', 'a.py', 'from own import version\n', 'from own import __version__\n'],
  [
    'react/jsx-key',
    'a.jsx',
    "import React from 'react'\nexport const f = (lines) => lines.map((line) => <span {...propsOf({ line })} />)\n",
    "import React from 'react'\nexport const f = (lines) => lines.map((line) => <span {...propsOf({ line, key: line.id })} />)\n",
  ],
]

test('rules tell of what somebody would change, and not of what is fine beside it', async () => {
  const sources = places.flatMap(([, path, worth, fine], at) => [
    { path: `${at}/worth/${path}`, text: worth },
    { path: `${at}/fine/${path}`, text: fine },
  ])
  const scans = await scanSources(sources, builtInRules, new AbortController().signal)
  const told = (path: string, rule: string): boolean => {
    const scan = scans.get(path)
    return scan?.status === 'reviewed' && scan.matches.some((match) => match.rule.id === rule)
  }
  expect(
    places.map(([rule, path], at) => ({
      rule,
      worth: told(`${at}/worth/${path}`, rule),
      fine: told(`${at}/fine/${path}`, rule),
    })),
  ).toEqual(places.map(([rule]) => ({ rule, worth: true, fine: false })))
})

test('a blank that the keyboard of a project writes everywhere is told of nowhere', async () => {
  const review = async (count: number) => {
    const files = codeFiles({ 'a.js': 'export const a =\u00A01\n' + 'f(a,\u00A0a)\n'.repeat(count - 1) })
    return (await reviewFiles({ files, paths: [], exclude: [] }, defaultRules, new AbortController().signal))
      .found
  }
  expect(await review(5)).toHaveLength(5)
  expect(await review(6)).toEqual([])
})

test('one line with several wrong escapes is told of once', async () => {
  const text = "pattern = '\\[a\\] \\s'\n"
  const scan = (await scanSources([{ path: 'a.py', text }], defaultRules, new AbortController().signal)).get(
    'a.py',
  )
  expect(scan).toMatchObject({ status: 'reviewed', matches: [{ rule: { id: 'ruff/W605' } }] })
})

test('an optional rule is on where a setting gives it a severity, and off without one', () => {
  const optional = builtInRules.filter(({ isOptional }) => isOptional).map(({ id }) => id)
  expect(optional).toContain('js/throw-literal')
  const setup = { files: [], levels: {}, exclude: [] }
  expect(parseRules(setup).map(({ id }) => id)).toEqual(defaultRules.map(({ id }) => id))
  const asked = parseRules({ ...setup, levels: { 'js/throw-literal': 'minor' } }).map(({ id }) => id)
  expect(asked.toSorted()).toEqual([...defaultRules.map(({ id }) => id), 'js/throw-literal'].toSorted())
})

test('statements that are never run are told of once', async () => {
  const text = 'export function f(a) {\n  throw new Error("a")\n  b(a)\n  c()\n  if (a) {\n    d()\n  }\n}\n'
  const scan = (await scanSources([{ path: 'a.js', text }], defaultRules, new AbortController().signal)).get(
    'a.js',
  )
  expect(scan).toMatchObject({
    status: 'reviewed',
    matches: [{ rule: { id: 'eslint/no-unreachable' }, line: 3 }],
  })
})

test('a file that only declares assigns nothing', async () => {
  const text = 'let version: string | undefined\nexport { version }\n'
  const scans = await scanSources(
    ['a.ts', 'a.d.ts'].map((path) => ({ path, text })),
    defaultRules,
    new AbortController().signal,
  )
  const found = (path: string) => scans.get(path)
  expect(found('a.ts')).toMatchObject({ matches: [{ rule: { id: 'eslint/no-unassigned-vars' } }] })
  expect(found('a.d.ts')).toMatchObject({ status: 'reviewed', matches: [] })
})
