import { titlesLike, type Seed, type Values, type Written } from './written-test.ts'

const pythonImport = /^(?:import|from)\s[^\n(]*(?:\([^)]{0,2000}\))?[^\n]*$|^sys\.path\.[^\n]*$/gm

/** Failing tests for unittest or pytest, whichever the template is written for. */
export function writePython(template: string, { mark, values }: Seed, own: string | null): Written {
  const imports = [...template.matchAll(pythonImport)].map(([statement]) => statement)
  const isUnittest = /\bTestCase\b/.test(template)
  const ways = isUnittest ? unittestWays(mark, values) : pytestWays(template, mark, values)
  const written = [...template.matchAll(/^\s*(?:async )?def (test\w*)\(/gm)].flatMap(([, name]) => name ?? [])
  const taken = { count: ways.length, joint: '_', areTaken: own !== null }
  const titles = titlesLike(written.length > 0 ? written : [`test_keeps_${mark}`], taken)
  const indent = isUnittest ? '    ' : ''
  const tests = ways.map(
    (way, index) =>
      `${indent}def ${titles[index] ?? ''}(${isUnittest ? 'self' : ''}):\n${indent}    ${way}\n`,
  )
  const name = /^class (\w+)\(.*TestCase\b/m.exec(template)?.[1] ?? `TestKeeps${mark}`
  const head = isUnittest
    ? ['import unittest', `class ${own === null ? name : `${name}More`}(unittest.TestCase):`]
    : []
  return { text: [...(own === null ? imports : [own]), ...head, ...tests].join('\n'), titles }
}

const unittestWays = (mark: string, [one, other]: Values): readonly string[] => [
  `raise RuntimeError("${mark}")`,
  `self.assertEqual(${one}, ${other})`,
  `self.assertTrue(${one} == ${other})`,
  `self.assertFalse(${one} != ${other})`,
  `self.assertIn(${one}, [${other}])`,
  `self.assertIsNone(${one})`,
  `self.assertListEqual([${one}], [${other}])`,
  `self.assertDictEqual({"a": ${one}}, {"a": ${other}})`,
  `self.assertRaises(ValueError, lambda: ${one})`,
  `self.fail("${one}")`,
]

const pytestWays = (template: string, mark: string, [one, other]: Values): readonly string[] => [
  `raise RuntimeError("${mark}")`,
  `assert ${one} == ${other}`,
  `assert not ${one}`,
  ...(/\bpytest\.raises\b/.test(template) ? [`pytest.raises(KeyError, lambda: ${one})`] : []),
  ...(/\bpytest\.approx\b/.test(template) ? [`assert ${one} == pytest.approx(${other + 100})`] : []),
]
