/** A comment or attribute that silences a tool: the wider its scope, the more it hides. */
export type SuppressionMarker = { readonly tool: string; readonly scope: number; readonly pattern: RegExp }

const codes = String.raw`[ \t]*[:=(\[]?[ \t]*([\w@/.,:"'{} \t-]{0,200})`
const marker = (tool: string, scope: number, text: string): SuppressionMarker => ({
  tool,
  scope,
  pattern: new RegExp(text + codes, 'gm'),
})
const bare = (tool: string, scope: number, text: string): SuppressionMarker => ({
  tool,
  scope,
  pattern: new RegExp(text, 'gm'),
})
/** The same for a tool to which capitals are all one. */
const anyCase = ({ pattern, ...rest }: SuppressionMarker): SuppressionMarker => ({
  ...rest,
  pattern: new RegExp(pattern.source, 'gim'),
})

/** Words that begin a remark for people, tools that have a marker of their own, and tools that only lay code out. */
const others =
  'todo|fixme|note|notes|hint|tip|nb|xxx|hack|warning|warn|caution|example|usage|default|else|otherwise|case|then|action|result|mode|status|eslint|oxlint|biome|stylelint|deno-lint|pylint|shellcheck|swiftlint|rubocop|tslint|flake8|mypy|type|pyright|pyre|phpcs|jshint|lint|ts|c8|v8|istanbul|prettier|clang-format|swift-format|fmt|dprint'
const opened = String.raw`(?:\/{2,3}|\/\*{1,2}|^[ \t]{0,100}\*(?=[ \t]{0,20}@)|#{1,2}|--|<!--|\{-)[ \t]{0,20}[@:]?`
/** A comment that is nothing but an order to a tool: its name, and at once what it shall not do. */
const directive = String.raw`${opened}(?!(?:${others}|${others.toUpperCase()}|${others.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())})(?![\w.]))([A-Za-z][\w.]{1,30}(?:-[\w.]{1,30}){0,3}?)(?::[ \t]?(?:lint:|file-)?(?:[Ii]gnore|IGNORE|disable|DISABLE|suppress)(?![a-z])|:(?:skip|off|OFF|allow|exclude)(?![a-z])|-(?:ignore|disable|suppress|OFF)(?![a-z]))`
const named = String.raw`${opened}((?:hadolint|yamllint|kics-scan|[Ss]tryker|deepcode|HLINT|standard)[ \t-]+(?:ignore|disable|off)|isort[ \t]*:[ \t]*skip_file)(?![a-z])`
/** Linters leave out what a program has made, some of them by these words in whatever case. */
const generated = String.raw`\b(?:code generated|auto-?generated (?:by|code|file))\b(?:[^\n]{0,200}\bdo not edit\b)?|\bdo not edit\b|@generated\b|<auto-?generated\b|@(?:[\w.]{1,60}\.)?Generated\b|\bGeneratedCode(?:Attribute)?\s*\(`
/** An order to a compiler, as a line of its own or within one. */
const pragma = String.raw`(?:#[ \t]*pragma[ \t]+|\b_Pragma[ \t]*\([ \t]*"[ \t]*|\b__pragma[ \t]*\([ \t]*)`
/** What a compiler does not build, neither tests nor linters see. */
const leftOut = String.raw`^\/\/go:build[ \t][^\n]*|^\/\/[ \t]*\+build[ \t][^\n]*|^[ \t]*#[ \t]*if(?:[ \t]+|[ \t]*\([ \t]*)(?:0|false|FALSE|NEVER)\b|#!?\[[ \t]*cfg\([ \t]*(?:any\([ \t]*\)|FALSE|false|never|none)`

export const suppressionMarkers: readonly SuppressionMarker[] = [
  marker('eslint', 1, String.raw`\beslint-disable-(?:next-)?line\b`),
  marker('eslint', 2, String.raw`\beslint-disable(?!-)\b`),
  marker('oxlint', 1, String.raw`\boxlint-disable-(?:next-)?line\b`),
  marker('oxlint', 2, String.raw`\boxlint-disable(?!-)\b`),
  marker('biome', 1, String.raw`\bbiome-ignore(?:-all|-start)?\b`),
  marker('stylelint', 1, String.raw`\bstylelint-disable(?:-(?:next-)?line)?\b`),
  bare('tslint', 1, String.raw`\btslint:disable\b`),
  bare('typescript', 1, '@ts-expect-error'),
  bare('typescript', 2, '@ts-ignore'),
  bare('typescript', 3, '@ts-nocheck'),
  bare('coverage', 1, String.raw`\b(?:istanbul|c8|v8)[ \t]+ignore\b`),
  bare('coverage', 1, String.raw`\bnode:coverage[ \t]+(?:disable|ignore)\b`),
  anyCase(bare('coverage', 1, String.raw`\bpragma[ \t]*:?[ \t]*no[ \t]*(?:cover|branch)\b`)),
  anyCase(marker('flake8', 1, String.raw`#[ \t]*noqa\b`)),
  anyCase(bare('flake8', 2, String.raw`#[ \t]*(?:flake8|ruff)[ \t]*:[ \t]*noqa\b`)),
  marker('mypy', 1, String.raw`#[ \t]*(?:type|pyright)[ \t]*:[ \t]*ignore\b`),
  bare('mypy', 2, String.raw`#[ \t]*mypy[ \t]*:[ \t]*(?:ignore-errors|allow|disable-error-code)`),
  marker('pylint', 1, String.raw`\bpylint[ \t]*:[ \t]*(?:disable|skip-file)(?:-next)?\b`),
  marker('bandit', 1, String.raw`#[ \t]*nosec\b`),
  anyCase(bare('semgrep', 1, String.raw`\bnosem(?:grep)?\b`)),
  marker('golangci', 1, String.raw`\/\/[ \t]*nolint\b`),
  bare('staticcheck', 1, String.raw`\/\/lint:(?:file-)?ignore\b`),
  marker('rustc', 1, String.raw`#\[\s*allow\b`),
  marker('rustc', 1, String.raw`#\[\s*expect\b`),
  marker('rustc', 2, String.raw`#!\[\s*allow\b`),
  marker('rustc', 2, String.raw`#!?\[\s*cfg_attr\([^\]]{1,200}\b(?:allow|expect)\b`),
  bare('rustc', 1, String.raw`#!?\[\s*(?:automatically_derived\b|coverage\s*\(\s*off\b)`),
  marker(
    'java',
    1,
    String.raw`@(?:[a-z]{1,20}:[ \t]*\[?[ \t]*)?(?:\w{1,60}\.){0,8}(?:SuppressWarnings|SuppressFBWarnings|SuppressLint|Suppress)\b`,
  ),
  bare('pmd', 1, String.raw`\bNOPMD\b`),
  bare('checkstyle', 1, String.raw`\bCHECKSTYLE\.OFF\b|\bSUPPRESS CHECKSTYLE\b`),
  marker('inspection', 1, String.raw`\bnoinspection\b`),
  marker('rubocop', 1, String.raw`\brubocop[ \t]*:[ \t]*(?:disable|todo)\b`),
  bare('simplecov', 1, ':nocov:'),
  bare('sonar', 1, String.raw`\bNOSONAR\b`),
  marker('csharp', 1, String.raw`#[ \t]*pragma[ \t]+warning[ \t]+disable\b`),
  anyCase(marker('csharp', 1, String.raw`^[ \t]*#disable[ \t]+warning\b`)),
  bare('phpstan', 1, String.raw`@phpstan-ignore|@psalm-suppress|@codeCoverageIgnore`),
  anyCase(bare('phpcs', 1, String.raw`phpcs:(?:ignore|disable|set)|@codingStandards(?:Ignore|Change)`)),
  marker('clang', 1, String.raw`\bNOLINT(?:NEXTLINE|BEGIN)?\b`),
  marker('clang', 2, String.raw`${pragma}(?:GCC|clang)[ \t]+(?:diagnostic[ \t]+ignored|system_header)\b`),
  bare('clang', 1, String.raw`\b(?:gsl|clang)::suppress\b`),
  bare('eslint', 2, String.raw`\/\*\s*(?:eslint\s[^*:]{1,200}:|globals?\s+[\w$]|eslint-env\s)`),
  bare('eslint', 2, String.raw`\/\*\s*exported\s+[\w$]{1,60}(?:\s*,\s*[\w$]{1,60}){0,50}\s*\*\/`),
  marker('deno', 1, String.raw`\bdeno-lint-ignore(?:-file)?\b`),
  anyCase(bare('jshint', 1, String.raw`\bjshint[ \t]+ignore\b|\/\*\s*jshint\s[^*]{0,200}(?:-W\d|:)`)),
  bare('pyright', 2, String.raw`#[ \t]*pyright[ \t]*:[ \t]*(?:basic|off|\w+[ \t]*=[ \t]*(?:false|none))`),
  bare('pyre', 1, String.raw`#[ \t]*pyre-(?:ignore|fixme)\b`),
  bare('csharp', 1, String.raw`\b\w{0,40}SuppressMessage(?:Attribute)?[ \t]*\(`),
  marker('swiftlint', 1, String.raw`\bswiftlint:disable\b`),
  marker('shellcheck', 1, String.raw`#[ \t]*shellcheck[ \t]+disable\b`),
  marker('directive', 1, directive),
  marker('directive', 2, named),
  marker('dart', 2, String.raw`\/\/[ \t]*ignore_for_file[ \t]*:`),
  bare('dart', 1, String.raw`\/\/[ \t]*ignore:[ \t]*[a-z_]+(?:,[ \t]*[a-z_]+)*[ \t]*$`),
  bare('flow', 1, String.raw`\$Flow(?:FixMe|Ignore|ExpectedError|Issue)\b|@noflow\b`),
  marker('codeql', 1, String.raw`\b(?:lgtm|codeql|coverity)(?=[ \t]*\[)`),
  marker('deepsource', 1, String.raw`\bskipcq\b`),
  bare('secrets', 1, String.raw`\bpragma:[ \t]*(?:allow|white)list[ \t]`),
  bare('sql', 1, String.raw`--[ \t]*noqa\b`),
  bare('coverage', 1, String.raw`\b[LG]COV(?:R)?_EXCL_\w+|\$COVERAGE-OFF\$|\bExcludeFromCodeCoverage\b`),
  bare('sorbet', 2, String.raw`#[ \t]*typed:[ \t]*(?:ignore|false)\b`),
  bare('elixir', 1, String.raw`#[ \t]*sobelow_skip\b|@dialyzer\b[^\n]{0,100}\b(?:nowarn_function|no_\w+)\b`),
  bare('perl', 1, String.raw`##[ \t]*no[ \t]+critic\b|^[ \t]*no[ \t]+(?:warnings|strict)\b`),
  bare('haskell', 2, String.raw`\{-#[ \t]*OPTIONS_GHC\b[^\n]{0,100}-(?:w|Wno-|fno-warn)`),
  bare('scala', 1, String.raw`@nowarn\b`),
  bare('csharp', 2, String.raw`#nullable[ \t]+disable\b`),
  bare('clang', 2, String.raw`${pragma}warning[ \t]*\([^)\n]{0,100}\b(?:disable|suppress)\b|\bno_sanitize\b`),
  bare('pvs', 1, String.raw`\/[/*][ \t]*-V\d{3,4}\b`),
  bare('pclint', 1, String.raw`\/[/*]lint[ \t]+[-!+]`),
  bare('lua', 1, String.raw`@diagnostic[ \t]+disable\b`),
  bare('go', 2, String.raw`^(?:\/\/line[ \t]|\/\*line[ \t])`),
  anyCase(bare('generated', 3, generated)),
  bare('left out', 3, leftOut),
]
