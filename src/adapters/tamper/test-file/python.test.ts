import { describe, expect, it } from 'vitest'
import { findTampering } from '../find-tampering.ts'
import type { TamperingKind } from '../markers/tampering.ts'

function kindsOf(before: string, after: string, path = 'tests/test_sum.py'): TamperingKind[] {
  const change = { path, oldPath: null, status: 'modified' as const, before, after, isBinary: false }
  return findTampering([change], { protectedGlobs: [], findingFile: null }).map(({ kind }) => kind)
}

const one = (body: string, head = 'def test_adds():'): string =>
  `from sum import add\n\n\n${head}\n    ${body}\n`

describe('honest changes of Python tests', () => {
  const inTest: readonly (readonly [string, string, string])[] = [
    [
      'formatting',
      'assert add(1, 2) == 3',
      'assert (\n        add(\n            1,\n            2,\n        )\n        == 3\n    )',
    ],
    ['other quotes', "assert name() == 'a'", 'assert name() == "a"'],
    ['a message', 'assert add(1, 2) == 3', 'assert add(1, 2) == 3, "adds"'],
    ['a renamed variable', 'r = add(1, 2)\n    assert r == 3', 'total = add(1, 2)\n    assert total == 3'],
    ['truth → equality', 'assert add(1, 2)', 'assert add(1, 2) == 3'],
    ['not None → equality', 'assert f() is not None', 'assert f() == 3'],
    ['isinstance → equality', 'assert isinstance(f(), int)', 'assert f() == 3'],
    ['membership → equality', 'assert "a" in f()', 'assert f() == "abc"'],
    ['approx → exact', 'assert f() == pytest.approx(3)', 'assert f() == 3'],
    ['assertTrue → assertEqual', 'self.assertTrue(f())', 'self.assertEqual(f(), 3)'],
    [
      'a narrower error',
      'with pytest.raises(Exception):\n        f()',
      'with pytest.raises(ValueError):\n        f()',
    ],
    [
      'an error with a match',
      'with pytest.raises(ValueError):\n        f()',
      'with pytest.raises(ValueError, match="x"):\n        f()',
    ],
    ['one assertion split', 'assert f() == 1 and g() == 2', 'assert f() == 1\n    assert g() == 2'],
    ['turned sides', 'assert 3 == f()', 'assert f() == 3'],
    ['one more', 'assert f() == 1', 'assert f() == 1\n    assert g() == 2'],
    ['a lower ceiling', 'assert f() < 10', 'assert f() < 5'],
  ]
  it.each(inTest)('sees nothing in %s', (_, before, after) => {
    expect(kindsOf(one(before), one(after))).toEqual([])
  })

  const a = 'def test_a():\n    assert f(1) == 1\n\n'
  const b = 'def test_b():\n    assert f(2) == 2\n\n'
  const table = (rows: string) =>
    `@pytest.mark.parametrize("x,y", [${rows}])\ndef test_t(x, y):\n    assert f(x) == y\n`
  const wholeFiles: readonly (readonly [string, string, string])[] = [
    ['a new test', a, a + b],
    ['moved tests', a + b, b + a],
    ['a test put into a class', a, 'class TestF:\n    def test_a(self):\n        assert f(1) == 1\n'],
    ['a renamed test', a, a.replace('test_a', 'test_one')],
    ['an unskipped test', `@pytest.mark.skip\n${a}`, a],
    ['one row more', table('(1, 1)'), table('(1, 1), (2, 2)')],
    ['a fixture', a, `@pytest.fixture\ndef value():\n    return 1\n\n${a}`],
  ]
  it.each(wholeFiles)('sees nothing in %s', (_, before, after) => {
    expect(kindsOf(before, after)).toEqual([])
  })
})

describe('weakened Python tests', () => {
  const loosened: readonly (readonly [string, string])[] = [
    ['assert f() == 3', 'assert f() == 4'],
    ['assert f() == 3', 'assert f()'],
    ['assert f() == 3', 'assert f() >= 3'],
    ['assert f() == 3', 'assert f() != 4'],
    ['assert f() == 3', 'assert f() in (3, 4)'],
    ['assert f() == 3', 'assert f() is not None'],
    ['assert f() == 3', 'assert f() == pytest.approx(3, abs=1)'],
    ['assert f() == 3', 'assert f() == 3 or True'],
    ['assert f() == 3', 'assert True'],
    ['assert f() == 3', 'assert isinstance(f(), int)'],
    ['assert f() == "abc"', 'assert "a" in f()'],
    ['assert f() < 5', 'assert f() < 50'],
    ['self.assertEqual(f(), 3)', 'self.assertTrue(f())'],
    ['self.assertEqual(f(), 3)', 'self.assertEqual(f(), 4)'],
    ['self.assertEqual(f(), 3)', 'self.assertIsNotNone(f())'],
    ['self.assertEqual(f(), 3)', 'self.assertAlmostEqual(f(), 3)'],
    ['with pytest.raises(ValueError):\n        f()', 'with pytest.raises(Exception):\n        f()'],
    [
      'with pytest.raises(ValueError, match="x"):\n        f()',
      'with pytest.raises(ValueError):\n        f()',
    ],
    ['mock.assert_called_once_with(1)', 'mock.assert_called()'],
    ['want = 3\n    assert f() == want', 'want = 4\n    assert f() == want'],
    ['r = f(2)\n    assert r == 3', 'r = 3\n    assert r == 3'],
    ['assert f() == 3', 'try:\n        assert f() == 3\n    except Exception:\n        pass'],
    ['assert f() == 3', 'with contextlib.suppress(AssertionError):\n        assert f() == 3'],
    ['assert f() == 3', 'if os.environ.get("CI"):\n        assert f() == 3'],
  ]
  it.each(loosened)('tells that %s became %s', (before, after) => {
    expect(kindsOf(one(before), one(after))).toEqual(['assertion_loosened'])
  })

  const deleted: readonly (readonly [string, string])[] = [
    ['assert f() == 1\n    assert g() == 2', 'assert g() == 2'],
    ['assert f() == 1', 'f()'],
    ['assert f() == 1', '# assert f() == 1\n    pass'],
    ['self.assertEqual(f(), 1)', 'f()'],
    ['with pytest.raises(ValueError):\n        f()', 'f()'],
    ['assert f() == 1 and g() == 2', 'assert f() == 1'],
  ]
  it.each(deleted)('tells that an assertion of %s is gone', (before, after) => {
    expect(kindsOf(one(before), one(after))).toEqual(['assertion_deleted'])
  })

  const skipped: readonly string[] = [
    '@pytest.mark.skip\ndef test_adds():',
    '@pytest.mark.skip(reason="later")\ndef test_adds():',
    '@pytest.mark.skipif(True, reason="x")\ndef test_adds():',
    '@pytest.mark.xfail\ndef test_adds():',
    '@unittest.skip("x")\ndef test_adds():',
    '@unittest.expectedFailure\ndef test_adds():',
    'pytestmark = pytest.mark.skip\ndef test_adds():',
    'def test_adds():\n    pytest.skip("x")',
    'def test_adds():\n    raise unittest.SkipTest("x")',
    'def test_adds():\n    self.skipTest("x")',
    'def test_adds():\n    return',
    'def test_adds():\n    if True:\n        return',
  ]
  it.each(skipped)('tells that %s does not run', (head) => {
    expect(kindsOf(one('assert f() == 1'), one('assert f() == 1', head))).toEqual(['test_skipped'])
  })

  const a = 'def test_a():\n    assert f(1) == 1\n\n'
  const b = 'def test_b():\n    assert f(2) == 2\n\n'
  const table = (rows: string) =>
    `@pytest.mark.parametrize("x,y", [${rows}])\ndef test_t(x, y):\n    assert f(x) == y\n`
  const whole: readonly (readonly [string, string, string, readonly TamperingKind[]])[] = [
    ['a removed test', a + b, a, ['test_deleted']],
    ['a test that is collected no more', a, a.replace('test_a', 'check_a'), ['test_deleted']],
    ['a lost row', table('(1, 1), (2, 2)'), table('(1, 1)'), ['assertion_deleted']],
    ['a changed row', table('(1, 1)'), table('(1, 2)'), ['assertion_loosened']],
    ['an exit', a, `import os\nos._exit(0)\n${a}`, ['exit_on_import']],
    ['an exit in a test', a, a.replace('    assert', '    sys.exit(0)\n    assert'), ['exit_on_import']],
    ['a new skipped test', a, `${a}@pytest.mark.skip\n${b}`, ['test_skipped']],
  ]
  it.each(whole)('tells of %s', (_, before, after, kinds) => {
    expect(kindsOf(before, after)).toEqual(kinds)
  })
})
