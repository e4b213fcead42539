import { titlesLike, type Seed, type Written } from './written-test.ts'

const rubyLoad = /^\s*(?:require|require_relative|load)\b[^\n]*$/gm

/** Examples of RSpec in a group of the template's name. */
export function writeRspec(template: string, { mark, values: [one, other] }: Seed): Written | null {
  const group = /^\s*(?:RSpec\.)?describe\s*\(?\s*([\w:]+|"[^"#\n]+"|'[^'\n]+')/m.exec(template)?.[1]
  if (group === undefined) return null
  const ways = [
    `raise '${mark}'`,
    `expect(${one}).to eq(${other})`,
    `expect([${one}]).to match_array([${other}])`,
    `expect(${one}).to be_nil`,
    `expect { ${one} }.to raise_error(KeyError)`,
    `expect(${one}).not_to eq(${one})`,
  ]
  const known = [...template.matchAll(/\b(?:it|specify)\s*\(?\s*(['"])([\w][\w ,.()=-]{0,60}\w)\1/g)].flatMap(
    ([, , title]) => title ?? [],
  )
  const titles = titlesLike(known.length > 0 ? known : [`keeps ${mark}`], {
    count: ways.length,
    joint: ' ',
    areTaken: false,
  })
  const loads = [...template.matchAll(rubyLoad)].map(([line]) => line.trim())
  const examples = ways.map((way, at) => `  it '${titles[at] ?? ''}' do\n    ${way}\n  end`)
  return { text: [...loads, `RSpec.describe ${group} do`, ...examples, 'end', ''].join('\n'), titles }
}

const phpHead =
  /^\s*(?:namespace\s[^;{]+;|use\s[^;(]+;|(?:require|include)(?:_once)?\b[^;]+;|declare\([^)]*\);)/gm

/** Methods of a class with the template's name, below what the template loads. */
export function writePhpunit(template: string, { mark, values: [one, other] }: Seed): Written | null {
  const [, name, parent] = /^(?:final |abstract )?class\s+(\w+)\s+extends\s+([\w\\]+)/m.exec(template) ?? []
  if (name === undefined || parent === undefined) return null
  const ways = [
    `throw new \\RuntimeException('${mark}');`,
    `$this->assertSame(${one}, ${other});`,
    `$this->assertEquals(${one}, ${other});`,
    `$this->assertTrue(${one} === ${other});`,
    `$this->assertNull(${one});`,
    `$this->fail('${one}');`,
  ]
  const known = [...template.matchAll(/\bfunction\s+(test\w*)\s*\(/g)].flatMap(([, title]) => title ?? [])
  const titles = titlesLike(known.length > 0 ? known : [`testKeeps${mark}`], {
    count: ways.length,
    joint: 'Again',
    areTaken: false,
  })
  const head = [...template.matchAll(phpHead)].map(([line]) => line.trim())
  const methods = ways.map((way, at) => `    public function ${titles[at] ?? ''}(): void { ${way} }`)
  return {
    text: ['<?php', ...head, `class ${name} extends ${parent} {`, ...methods, '}', ''].join('\n'),
    titles,
  }
}
