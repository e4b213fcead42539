import { describe, expect, it } from 'vitest'
import { pythonRoots, readPythonImports, resolvePythonImport } from './python.ts'

describe('what Python text loads', () => {
  it.each<[string, string, readonly string[]]>([
    ['modules', 'import a, b.c as d', ['a', 'b.c']],
    ['names of a module', 'from a.b import (\n  c,  # one\n  d as e,\n)', ['a.b', 'a.b:c', 'a.b:d']],
    ['a sibling', 'from . import a', ['.', '.:a']],
    ['a module above', 'from ..pkg.mod import f', ['..pkg.mod', '..pkg.mod:f']],
    ['everything', 'from a import *', ['a']],
    ['inside of a function', 'def f():\n    import a; import b', ['a', 'b']],
    ['after a colon', 'try: import a\nexcept ImportError: import b', ['a', 'b']],
    ['by name', 'm = importlib.import_module("a.b")', ['a.b']],
    ['over two lines', 'from a import b, \\\n    c', ['a', 'a:b', 'a:c']],
  ])('is %s', (_, text, expected) => {
    expect(readPythonImports(text)).toEqual(expected)
  })

  it.each([
    ['a comment', '# import a'],
    ['a docstring', '"""\nimport a\nfrom b import c\n"""'],
    ['a text', `x = 'import a'`],
  ])('is not what stands in %s', (_, text) => {
    expect(readPythonImports(text)).toEqual([])
  })

  it('is read in time that grows with the text', () => {
    expect(readPythonImports(`from ${' '.repeat(100_000)}x`)).toEqual([])
    expect(readPythonImports(`from ${'a.'.repeat(50_000)}`)).toEqual([])
  })
})

describe('where an import of Python leads', () => {
  const files = new Set([
    'src/pkg/__init__.py',
    'src/pkg/core.py',
    'src/pkg/sub/__init__.py',
    'src/pkg/sub/deep.py',
    'tests/helpers.py',
    'tests/test_core.py',
    'top.py',
  ])
  const tree = { files, roots: pythonRoots(files) }

  it.each<[string, string, readonly string[]]>([
    ['tests/test_core.py', 'pkg.core', ['src/pkg/__init__.py', 'src/pkg/core.py']],
    ['tests/test_core.py', 'pkg:core', ['src/pkg/__init__.py', 'src/pkg/core.py']],
    ['tests/test_core.py', 'pkg:VERSION', ['src/pkg/__init__.py']],
    ['tests/test_core.py', 'helpers', ['tests/helpers.py']],
    ['tests/test_core.py', 'top', ['top.py']],
    ['src/pkg/core.py', '.sub:deep', ['src/pkg/sub/__init__.py', 'src/pkg/sub/deep.py']],
    ['src/pkg/sub/deep.py', '..core', ['src/pkg/core.py']],
    ['src/pkg/core.py', '.', ['src/pkg/__init__.py']],
    ['src/pkg/core.py', 'os.path', []],
  ])('from %s, %s is found', (from, written, expected) => {
    expect(resolvePythonImport(from, written, tree)).toEqual(expected)
  })
})
