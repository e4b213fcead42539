import { calleeName, isBuiltText, isFixedText, methodCall, operandsOf, propertyValue } from './syntax.ts'
import { javascriptFamily } from '../../engine/language.ts'
import { argumentsOf, hasKind } from '../../engine/node.ts'
import type { Node, Rule } from '../../engine/rule.ts'
import { isSql, isTrustedPart } from '../../engine/suspect-text.ts'

export const javascriptInjectionRules: readonly Rule[] = [
  {
    id: 'js/dynamic-code',
    languages: javascriptFamily,
    severity: 'major',
    category: 'security',
    title: 'Text run as code',
    message: 'eval, new Function and timers with text run whatever that text contains.',
    why: 'Whoever can influence the text runs their own code with the rights of the program.',
    advice: 'Use JSON.parse for data, a lookup table for choices, and a function for timers.',
    references: ['CWE-95', 'https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/eval'],
    effort: 3,
    query: {
      rule: {
        any: [
          {
            kind: 'call_expression',
            has: { field: 'function', regex: '^(?:(?:window|globalThis)\\.)?eval$' },
          },
          {
            kind: 'call_expression',
            has: { field: 'function', regex: '^(?:window\\.)?set(?:Timeout|Interval)$' },
          },
          { kind: 'new_expression', has: { field: 'constructor', regex: '^Function$' } },
        ],
      },
    },
    accepts: (node) => {
      const given = argumentsOf(node)
      const [first] = given
      if (!first) return false
      if (calleeName(node).startsWith('set')) return isFixedText(first) || isBuiltText(first)
      return given.some((each) => !isFixedText(each))
    },
  },
  {
    id: 'js/html-injection',
    languages: javascriptFamily,
    severity: 'major',
    category: 'security',
    title: 'HTML written from a value',
    message: 'The value is parsed as HTML, so markup and scripts in it become part of the page.',
    why: 'Text that came from a user or another system can run scripts in the session of whoever looks at it.',
    advice: 'Use textContent for text, build elements, or pass the value through a sanitizer first.',
    references: ['CWE-79', 'https://developer.mozilla.org/docs/Web/API/Element/innerHTML'],
    effort: 2,
    query: {
      rule: {
        any: [
          ...['assignment_expression', 'augmented_assignment_expression'].map((kind) => ({
            kind,
            has: {
              field: 'left',
              kind: 'member_expression',
              has: { field: 'property', regex: '^(?:inner|outer)HTML$' },
            },
          })),
          methodCall('insertAdjacentHTML'),
          { kind: 'call_expression', has: { field: 'function', regex: '^document\\.write(?:ln)?$' } },
        ],
      },
    },
    accepts: (node) => {
      const value = node.field('right') ?? argumentsOf(node).at(-1)
      return value !== undefined && value !== null && !isSafeHtml(value)
    },
  },
  {
    id: 'js/jsx-html-injection',
    languages: ['JavaScript', 'Tsx'],
    severity: 'major',
    category: 'security',
    title: 'dangerouslySetInnerHTML with a value',
    message: 'The value is put into the page as HTML, past the escaping that JSX does.',
    why: 'Text that came from a user or another system can run scripts in the session of whoever looks at it.',
    advice: 'Render the value as a child, or pass it through a sanitizer first.',
    references: ['CWE-79', 'https://react.dev/reference/react-dom/components/common'],
    effort: 2,
    query: { rule: { kind: 'jsx_attribute', regex: '^dangerouslySetInnerHTML' } },
    accepts: (node) => {
      const object = node.find({ rule: { kind: 'object' } })
      const value = propertyValue(object ?? undefined, '__html')
      return value !== null && !isSafeHtml(value) && !value.text().startsWith('JSON.stringify(')
    },
  },
  {
    id: 'js/shell-injection',
    languages: javascriptFamily,
    severity: 'critical',
    category: 'security',
    title: 'Shell command built from values',
    message: 'The command line is put together as text and given to a shell.',
    why: 'A value with a quote, a semicolon or a backtick in it runs commands of its own.',
    advice: 'Use execFile or spawn with a list of arguments and without a shell.',
    references: ['CWE-78', 'https://nodejs.org/api/child_process.html'],
    effort: 2,
    query: {
      rule: {
        kind: 'call_expression',
        has: {
          field: 'function',
          regex:
            '^(?:(?:cp|childProcess|child_process)\\.)?(?:exec|execSync|spawn|spawnSync|execFile|execFileSync)$',
        },
      },
    },
    accepts: (node, source) => {
      const [command] = argumentsOf(node)
      if (!command || !/['"](?:node:)?child_process['"]/.test(source) || !isBuiltText(command)) return false
      const usesShell = /^exec(?:Sync)?$/.test(calleeName(node)) || hasShellOption(node)
      return usesShell && !insertedParts(command).every(isTrustedPart)
    },
  },
  {
    id: 'js/sql-injection',
    languages: javascriptFamily,
    severity: 'critical',
    category: 'security',
    title: 'SQL statement built from values',
    message: 'Values are put into the SQL text instead of being passed as parameters.',
    why: 'A value with a quote in it changes the statement: it can read, change or delete any data.',
    advice: 'Use placeholders and pass the values separately.',
    references: [
      'CWE-89',
      'https://cheatsheetseries.owasp.org/cheatsheets/Query_Parameterization_Cheat_Sheet.html',
    ],
    effort: 2,
    query: {
      rule: methodCall(
        'query|execute|raw|\\$queryRawUnsafe|\\$executeRawUnsafe|exec|prepare|all|get|run|each',
      ),
    },
    accepts: (node) => {
      const [statement] = argumentsOf(node)
      if (!statement || !isBuiltText(statement)) return false
      return isSql(statement.text()) && !insertedParts(statement).every(isTrustedPart)
    },
  },
  {
    id: 'js/open-redirect',
    languages: javascriptFamily,
    severity: 'major',
    category: 'security',
    title: 'Redirect to an address from the request',
    message: 'The target of the redirect is taken from the request as it is.',
    why: 'A link to this site can send its visitors to any other site, which is what phishing needs.',
    advice: 'Redirect to a path of this site only, or look the target up in a list of allowed ones.',
    references: ['CWE-601'],
    effort: 2,
    query: {
      rule: {
        kind: 'call_expression',
        has: { field: 'function', regex: '^(?:res|reply|response)\\.redirect$' },
      },
    },
    accepts: (node) => {
      const target = argumentsOf(node).at(-1)
      return /^(?:req|request)\.(?:query|body|params)\b[\w.?[\]'"]*$/.test(target?.text() ?? '')
    },
  },
]

/** Fixed markup, a choice between fixed markup, or what went through a sanitizer. */
function isSafeHtml(node: Node): boolean {
  if (isFixedText(node) || hasKind(node, 'number', 'null', 'undefined')) return true
  if (hasKind(node, 'ternary_expression')) {
    return [node.field('consequence'), node.field('alternative')].every(
      (each) => each !== null && isSafeHtml(each),
    )
  }
  return /sanitiz|purif|escape|trusted/i.test(node.text())
}

function hasShellOption(call: Node): boolean {
  const shell = propertyValue(argumentsOf(call).at(-1), 'shell')
  return shell?.text() === 'true'
}

/** The code of what is put into a built text. */
function insertedParts(node: Node): string[] {
  const parts = hasKind(node, 'template_string') ? [node] : operandsOf(node)
  return parts.flatMap((part) => {
    if (!hasKind(part, 'template_string')) return isFixedText(part) ? [] : [part.text()]
    const substitutions = part.namedChildren().filter((child) => hasKind(child, 'template_substitution'))
    return substitutions.map((child) => child.text().slice(2, -1).trim())
  })
}
