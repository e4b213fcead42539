import { describe, expect, it } from 'vitest'
import { findTampering } from '../find-tampering.ts'
import type { TamperingKind } from '../markers/tampering.ts'

function kindsOf(path: string, before: string, after: string): TamperingKind[] {
  const change = { path, oldPath: null, status: 'modified' as const, before, after, isBinary: false }
  return findTampering([change], { protectedGlobs: [], findingFile: null }).map(({ kind }) => kind)
}

const go = (body: string, name = 'TestAdd') => `package sum\n\nfunc ${name}(t *testing.T) {\n\t${body}\n}\n`
const goCheck = (condition: string) =>
  `got := Add(1, 2)\n\tif ${condition} {\n\t\tt.Errorf("got %d", got)\n\t}`
const rust = (body: string, head = '#[test]') => `use sum::add;\n\n${head}\nfn adds() {\n    ${body}\n}\n`
const java = (body: string, head = '@Test') =>
  `class SumTest {\n  ${head}\n  void adds() {\n    ${body}\n  }\n}\n`
const ruby = (body: string, head = "it 'adds' do") => `describe Sum do\n  ${head}\n    ${body}\n  end\nend\n`
const php = (body: string, name = 'testAdds') =>
  `<?php\nclass SumTest extends TestCase {\n  public function ${name}(): void {\n    ${body}\n  }\n}\n`
const csharp = (body: string, head = '[Fact]') =>
  `public class SumTests {\n  ${head}\n  public void Adds() {\n    ${body}\n  }\n}\n`

describe('honest changes of tests in other languages', () => {
  const rows: readonly (readonly [string, string, string, string])[] = [
    [
      'a new Go test',
      'sum_test.go',
      go(goCheck('got != 3')),
      go(goCheck('got != 3')) + go(goCheck('got != 5'), 'TestMore'),
    ],
    [
      'a Go message',
      'sum_test.go',
      go(goCheck('got != 3')),
      go(goCheck('got != 3')).replace('got %d', 'Add gave %d'),
    ],
    [
      'a renamed Go variable',
      'sum_test.go',
      go(goCheck('got != 3')),
      go(goCheck('got != 3')).replaceAll('got', 'sum'),
    ],
    [
      'a wrapped Rust assertion',
      'tests/sum.rs',
      rust('assert_eq!(add(1, 2), 3);'),
      rust('assert_eq!(\n        add(1, 2),\n        3,\n    );'),
    ],
    [
      'a new Rust test',
      'tests/sum.rs',
      rust('assert_eq!(add(1, 2), 3);'),
      rust('assert_eq!(add(1, 2), 3);') + rust('assert_eq!(add(2, 2), 4);').replace('adds', 'more'),
    ],
    [
      'a Java comment',
      'src/test/java/SumTest.java',
      java('assertEquals(3, add(1, 2));'),
      java('// adds\n    assertEquals(3, add(1, 2));'),
    ],
    [
      'a renamed Java test',
      'src/test/java/SumTest.java',
      java('assertEquals(3, add(1, 2));'),
      java('assertEquals(3, add(1, 2));').replace('adds', 'addsTwo'),
    ],
    [
      'another Ruby expectation',
      'spec/sum_spec.rb',
      ruby('expect(add(1, 2)).to eq(3)'),
      ruby('expect(add(1, 2)).to eq(3)\n    expect(add(2, 2)).to eq(4)'),
    ],
    [
      'Rust source around its tests',
      'src/sum.rs',
      `fn add() { assert!(ready()); }\n#[cfg(test)]\nmod tests {\n${rust('assert_eq!(add(1, 2), 3);')}}`,
      `fn add() { go(); }\n#[cfg(test)]\nmod tests {\n${rust('assert_eq!(add(1, 2), 3);')}}`,
    ],
  ]
  it.each(rows)('sees nothing in %s', (_, path, before, after) => {
    expect(kindsOf(path, before, after)).toEqual([])
  })
})

describe('weakened tests in other languages', () => {
  const rows: readonly (readonly [TamperingKind, string, string, string])[] = [
    ['assertion_loosened', 'sum_test.go', go(goCheck('got != 3')), go(goCheck('got != 4'))],
    ['assertion_deleted', 'sum_test.go', go(goCheck('got != 3')), go('Add(1, 2)')],
    ['assertion_deleted', 'sum_test.go', go('require.Equal(t, 3, Add(1, 2))'), go('Add(1, 2)')],
    ['test_skipped', 'sum_test.go', go(goCheck('got != 3')), go(`t.Skip("later")\n\t${goCheck('got != 3')}`)],
    [
      'test_deleted',
      'sum_test.go',
      go(goCheck('got != 3')) + go(goCheck('got != 5'), 'TestMore'),
      go(goCheck('got != 3')),
    ],
    [
      'exit_on_import',
      'sum_test.go',
      go(goCheck('got != 3')),
      `${go(goCheck('got != 3'))}func init() { os.Exit(0) }\n`,
    ],
    ['assertion_loosened', 'tests/sum.rs', rust('assert_eq!(add(1, 2), 3);'), rust('assert!(true);')],
    [
      'assertion_loosened',
      'tests/sum.rs',
      rust('assert_eq!(add(1, 2), 3);'),
      rust('assert_eq!(add(1, 2), 4);'),
    ],
    [
      'test_skipped',
      'tests/sum.rs',
      rust('assert_eq!(add(1, 2), 3);'),
      rust('assert_eq!(add(1, 2), 3);', '#[test]\n#[ignore]'),
    ],
    [
      'assertion_deleted',
      'src/sum.rs',
      `fn a() {}\n#[cfg(test)]\nmod tests {\n${rust('assert_eq!(add(1, 2), 3);')}}`,
      `fn a() {}\n#[cfg(test)]\nmod tests {\n${rust('add(1, 2);')}}`,
    ],
    [
      'test_deleted',
      'src/sum.rs',
      `fn a() {}\n#[cfg(test)]\nmod tests {\n${rust('assert_eq!(add(1, 2), 3);')}}`,
      'fn a() {}\n',
    ],
    [
      'assertion_loosened',
      'src/test/java/SumTest.java',
      java('assertEquals(3, add(1, 2));'),
      java('assertNotNull(add(1, 2));'),
    ],
    [
      'assertion_deleted',
      'src/test/java/SumTest.java',
      java('assertEquals(3, add(1, 2));'),
      java('add(1, 2);'),
    ],
    [
      'test_skipped',
      'src/test/java/SumTest.java',
      java('assertEquals(3, add(1, 2));'),
      java('assertEquals(3, add(1, 2));', '@Disabled\n  @Test'),
    ],
    [
      'test_skipped',
      'src/test/java/SumTest.java',
      java('assertEquals(3, add(1, 2));'),
      java('assertEquals(3, add(1, 2));', '@Test\n  @Ignore'),
    ],
    [
      'assertion_loosened',
      'spec/sum_spec.rb',
      ruby('expect(add(1, 2)).to eq(3)'),
      ruby('expect(add(1, 2)).to be_truthy'),
    ],
    [
      'assertion_loosened',
      'spec/sum_spec.rb',
      ruby('expect(add(1, 2)).to eq(3)'),
      ruby('expect(add(1, 2)).to eq(4)'),
    ],
    [
      'assertion_deleted',
      'test/sum_test.rb',
      'def test_adds\n  assert_equal 3, add(1, 2)\nend\n',
      'def test_adds\n  add(1, 2)\nend\n',
    ],
    [
      'test_skipped',
      'spec/sum_spec.rb',
      ruby('expect(add(1, 2)).to eq(3)'),
      ruby('expect(add(1, 2)).to eq(3)', "xit 'adds' do"),
    ],
    [
      'test_skipped',
      'spec/sum_spec.rb',
      ruby('expect(add(1, 2)).to eq(3)'),
      ruby("skip 'later'\n    expect(add(1, 2)).to eq(3)"),
    ],
    [
      'assertion_loosened',
      'tests/SumTest.php',
      php('$this->assertSame(3, add(1, 2));'),
      php('$this->assertTrue(true);'),
    ],
    [
      'test_skipped',
      'tests/SumTest.php',
      php('$this->assertSame(3, add(1, 2));'),
      php('$this->markTestSkipped();\n    $this->assertSame(3, add(1, 2));'),
    ],
    [
      'assertion_loosened',
      'SumTests.cs',
      csharp('Assert.Equal(3, Sum.Add(1, 2));'),
      csharp('Assert.NotNull(Sum.Add(1, 2));'),
    ],
    [
      'test_skipped',
      'SumTests.cs',
      csharp('Assert.Equal(3, Sum.Add(1, 2));'),
      csharp('Assert.Equal(3, Sum.Add(1, 2));', '[Fact(Skip = "later")]'),
    ],
  ]
  it.each(rows)('tells %s in %s', (kind, path, before, after) => {
    expect(kindsOf(path, before, after)).toEqual([kind])
  })
})
