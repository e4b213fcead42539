import { Fault } from '../../model/fault.ts'
import type { ReportFormat } from './reading/report-format.ts'

/** Every format that has a reader, in the order in which people see them; the first that recognises a file reads it. */
export const reportFormats: readonly ReportFormat[] = [
  {
    name: 'sarif',
    description: 'SARIF 2.1.0 of any tool; older versions are refused, with the command that upgrades them',
    load: async () => (await import('./sarif/sarif-reader.ts')).sarifReader,
  },
  {
    name: 'oxlint',
    description: 'what `oxlint -f json` prints',
    load: async () => (await import('./linters/oxlint/oxlint-reader.ts')).oxlintReader,
  },
  {
    name: 'biome',
    description: 'what `biome lint --reporter=json` prints',
    load: async () => (await import('./linters/biome/biome-reader.ts')).biomeReader,
  },
  {
    name: 'rdjson',
    description: "reviewdog's diagnostics in one document",
    load: async () => (await import('./rdjson/rdjson-reader.ts')).rdjsonReader,
  },
  {
    name: 'rdjsonl',
    description: "reviewdog's diagnostics, one per line",
    isByLine: true,
    load: async () => (await import('./rdjson/rdjson-reader.ts')).rdjsonlReader,
  },
  {
    name: 'eslint',
    description: 'what `eslint -f json` and `-f json-with-metadata` print',
    load: async () => (await import('./eslint/eslint-reader.ts')).eslintReader,
  },
  {
    name: 'junit',
    description: 'failures and errors of a JUnit report',
    load: async () => (await import('./junit/junit-reader.ts')).junitReader,
  },
  {
    name: 'shellcheck',
    description: 'what `shellcheck -f json` and `-f json1` print',
    load: async () => (await import('./linters/shellcheck/shellcheck-reader.ts')).shellcheckReader,
  },
  {
    name: 'hadolint',
    description: 'what `hadolint -f json` prints',
    load: async () => (await import('./linters/hadolint/hadolint-reader.ts')).hadolintReader,
  },
  {
    name: 'pylint',
    description: 'what `pylint -f json` and `-f json2` print',
    load: async () => (await import('./linters/pylint/pylint-reader.ts')).pylintReader,
  },
  {
    name: 'ruff',
    description: 'what `ruff check --output-format json` and `json-lines` print',
    load: async () => (await import('./linters/ruff/ruff-reader.ts')).ruffReader,
  },
  {
    name: 'bandit',
    description: 'what `bandit -f json` prints',
    load: async () => (await import('./security/bandit/bandit-reader.ts')).banditReader,
  },
  {
    name: 'mypy',
    description: 'what `mypy` prints, with `--output json` and without',
    isByLine: true,
    load: async () => (await import('./compilers/mypy/mypy-reader.ts')).mypyReader,
  },
  {
    name: 'markdownlint',
    description: 'what `markdownlint` prints, with `--json` and without',
    isByLine: true,
    load: async () => (await import('./linters/markdownlint/markdownlint-reader.ts')).markdownlintReader,
  },
  {
    name: 'flake8',
    description: 'what `flake8` prints',
    isByLine: true,
    load: async () => (await import('./linters/flake8/flake8-reader.ts')).flake8Reader,
  },
  {
    name: 'gcc',
    description:
      "what GCC, Clang and tools in their form print (`file:line:column: level: message`), and GCC's JSON",
    isByLine: true,
    load: async () => (await import('./compilers/gcc/gcc-reader.ts')).gccReader,
  },
  {
    name: 'annotations',
    description: 'what linters print for GitHub Actions: `::error file=…,line=…::message`',
    isByLine: true,
    load: async () => (await import('./hosts/github/annotations-reader.ts')).annotationsReader,
  },
  {
    name: 'lines',
    description:
      'what most linters print: `file:line: message`, or `file(line,column): message` as TypeScript does',
    isByLine: true,
    load: async () => (await import('./linters/lines/lines-reader.ts')).linesReader,
  },
  {
    name: 'cppcheck',
    description: 'what `cppcheck --xml` writes',
    load: async () => (await import('./compilers/cppcheck/cppcheck-reader.ts')).cppcheckReader,
  },
  {
    name: 'cargo',
    description: 'what `cargo clippy --message-format json` and `cargo check` print',
    isByLine: true,
    load: async () => (await import('./compilers/cargo/cargo-reader.ts')).cargoReader,
  },
  {
    name: 'golangci-lint',
    description: 'what `golangci-lint run --output.json.path stdout` prints',
    load: async () => (await import('./linters/golangci-lint/golangci-lint-reader.ts')).golangciLintReader,
  },
  {
    name: 'checkstyle',
    description: 'Checkstyle XML, which many tools write',
    load: async () => (await import('./linters/checkstyle/checkstyle-reader.ts')).checkstyleReader,
  },
  {
    name: 'pmd',
    description: 'what `pmd check -f xml` writes',
    load: async () => (await import('./linters/pmd/pmd-reader.ts')).pmdReader,
  },
  {
    name: 'semgrep',
    description: 'what `semgrep scan --json` prints',
    load: async () => (await import('./security/semgrep/semgrep-reader.ts')).semgrepReader,
  },
  {
    name: 'trivy',
    description: 'what `trivy --format json` prints: packages, misconfigurations, secrets',
    load: async () => (await import('./security/trivy/trivy-reader.ts')).trivyReader,
  },
  {
    name: 'gitleaks',
    description: 'what `gitleaks --report-format json` writes; never the secret itself',
    load: async () => (await import('./security/gitleaks/gitleaks-reader.ts')).gitleaksReader,
  },
  {
    name: 'npm-audit',
    description: 'what `npm audit --json` prints',
    load: async () => (await import('./security/npm-audit/npm-audit-reader.ts')).npmAuditReader,
  },
  {
    name: 'sonarqube',
    description: 'what SonarQube answers at `api/issues/search`, and its generic format',
    load: async () => (await import('./linters/sonarqube/sonarqube-reader.ts')).sonarqubeReader,
  },
  {
    name: 'gitlab',
    description: 'code quality reports of GitLab and Code Climate',
    load: async () => (await import('./hosts/gitlab/gitlab-reader.ts')).gitlabReader,
  },
  {
    name: 'code-scanning',
    description: 'alerts of GitHub code scanning, as `gh api` prints them',
    load: async () => (await import('./hosts/github/code-scanning-reader.ts')).codeScanningReader,
  },
  {
    name: 'review-comments',
    description: 'comments of a pull request, as `gh api` prints them',
    load: async () => (await import('./hosts/github/review-comments-reader.ts')).reviewCommentsReader,
  },
  {
    name: 'fixpoint',
    description: '`fixpoint.findings.v1`, and what reviewers answer',
    load: async () => (await import('./fixpoint/fixpoint-reader.ts')).fixpointReader,
  },
]

export const reportFormatNames: readonly string[] = reportFormats.map(({ name }) => name)

export function findReportFormat(name: string): ReportFormat {
  const format = reportFormats.find((one) => one.name === name)
  if (format) return format
  throw new Fault('usage', `"${name}" is no format of a report`, {
    hint: `Known are ${reportFormatNames.join(', ')}; other JSON needs a mapping (--map).`,
  })
}
