import { inFolder, pathFrom, type CheckoutFiles } from '../evidence/checkout.ts'
import {
  guessCommand,
  nothingFound,
  type Detect,
  type Toolchain,
  type Guess,
  type GuessedCommand,
} from '../evidence/detection.ts'
import { firstEvidence, type Evidence } from '../evidence/evidence.ts'
import { listedMembers } from '../evidence/folder-globs.ts'
import { pythonEnvironment } from './python-environment.ts'

const marks = [
  'pyproject.toml',
  'setup.cfg',
  'setup.py',
  'requirements.txt',
  'tox.ini',
  'pytest.ini',
  'Pipfile',
]
const dependsOn = (name: string): readonly Evidence[] =>
  [
    'pyproject.toml',
    'requirements.txt',
    'requirements-dev.txt',
    'dev-requirements.txt',
    'requirements-test.txt',
    'setup.cfg',
    'Pipfile',
  ].map((file) => [file, new RegExp(`^[\\s"']*${name}\\b(?!-)`, 'm')] as const)
const pytest: readonly Evidence[] = [
  ['pytest.ini', null],
  ['conftest.py', null],
  ['tests/conftest.py', null],
  ['pyproject.toml', /^\[tool\.pytest[^\]\n]*\]?/m],
  ['setup.cfg', /^\[tool:pytest\]/m],
  ['tox.ini', /^\[pytest\]/m],
  ...dependsOn('pytest'),
  // A list on one line: `dev = ["ruff", "pytest>=8"]`.
  ['pyproject.toml', /["']pytest(?=["'\s<>=~!;[])/],
]
const ruff: readonly Evidence[] = [
  ['ruff.toml', null],
  ['.ruff.toml', null],
  ['pyproject.toml', /^\[tool\.ruff\b[^\]\n]*\]?/m],
]
const flake8: readonly Evidence[] = [
  ['.flake8', null],
  ['setup.cfg', /^\[flake8\]/m],
  ['tox.ini', /^\[flake8\]/m],
]
const pylint: readonly Evidence[] = [
  ['.pylintrc', null],
  ['pylintrc', null],
  ['pyproject.toml', /^\[tool\.pylint\b[^\]\n]*\]?/m],
]
const mypy: readonly Evidence[] = [
  ['mypy.ini', null],
  ['.mypy.ini', null],
  ['pyproject.toml', /^\[tool\.mypy\b[^\]\n]*\]?/m],
  ['setup.cfg', /^\[mypy\]/m],
]
/** Mypy's own list of what it checks, which a path on the command line would replace. */
const mypyFiles: readonly Evidence[] = [
  ['mypy.ini', /^(?:files|packages|modules)\s*=/m],
  ['.mypy.ini', /^(?:files|packages|modules)\s*=/m],
  ['pyproject.toml', /^\[tool\.mypy\]\n(?:(?!\[[\w."]+\]).*\n)*?(?:files|packages|modules)\s*=/m],
  ['setup.cfg', /^\[mypy\]\n(?:(?!\[).*\n)*?(?:files|packages|modules)\s*=/m],
]
const pyright: readonly Evidence[] = [
  ['pyrightconfig.json', null],
  ['pyproject.toml', /^\[tool\.(based)?pyright\b[^\]\n]*\]?/m],
]

/** Commands and the virtual environment of the Python project in one folder. */
const detectPython: Detect = async (checkout, folder) => {
  const project = await firstEvidence(
    checkout,
    folder,
    marks.map((file) => [file, null] as const),
  )
  const tests = checkout.files.find((file) =>
    /^(tests?\/)?test_[^/]*\.py$/.test(pathFrom(folder, file) ?? ''),
  )
  if (!project && !tests) return nothingFound
  const { prefix, share, setup, notes } = await pythonEnvironment(checkout, folder)
  const seen = (evidence: readonly Evidence[]): Promise<string | null> =>
    firstEvidence(checkout, folder, evidence)
  const commands = [
    await testCommand(checkout, folder, { prefix, tests: tests ?? null }),
    // Where only python3 is known, the tool itself may be installed by other means than for that Python.
    choose('lint', [
      [prefix.startsWith('python') ? 'ruff check .' : `${prefix}ruff check .`, await seen(ruff)],
      [`${prefix}flake8`, await seen(flake8)],
      [`${prefix}pylint --recursive=y .`, await seen(pylint)],
    ]),
    choose('typecheck', [
      [`${prefix}mypy${(await seen(mypyFiles)) === null ? ' .' : ''}`, await seen(mypy)],
      [prefix.startsWith('python') ? 'pyright' : `${prefix}pyright`, await seen(pyright)],
    ]),
  ].filter((command) => command !== null)
  return { commands, share, setup, notes, packages: await members(checkout, folder) }
}

const choose = (
  name: string,
  options: readonly (readonly [run: string, why: string | null])[],
): GuessedCommand | null => {
  const [run, why] = options.find((option) => option[1] !== null) ?? []
  return run !== undefined && why ? guessCommand(name, run, why) : null
}

async function testCommand(
  checkout: CheckoutFiles,
  folder: string,
  { prefix, tests }: { readonly prefix: string; readonly tests: string | null },
): Promise<GuessedCommand | null> {
  const source = sourcePath(checkout, folder)
  const usesPytest = await firstEvidence(checkout, folder, pytest)
  if (usesPytest) return guessCommand('test', `${source}${prefix}pytest`, usesPytest)
  const manage = await firstEvidence(checkout, folder, [['manage.py', /django/i]])
  if (manage)
    return guessCommand('test', `${prefix.replace(/-m $/, '')}manage.py test`, inFolder(folder, 'manage.py'))
  for (const [file, run] of [
    ['tox.ini', 'tox'],
    ['noxfile.py', 'nox'],
  ] as const)
    if (await checkout.hasFile(inFolder(folder, file)))
      return guessCommand('test', run, inFolder(folder, file))
  if (tests === null) return null
  const start = startOf(pathFrom(folder, tests))
  return guessCommand(
    'test',
    `${source}${prefix}unittest discover${start}`,
    `${tests}, and no sign of pytest`,
  )
}

/** An environment may know the project's code at the place it was made in: what stands here comes first. */
function sourcePath(checkout: CheckoutFiles, folder: string): string {
  const has = checkout.files.some((file) => /^src\/[^/]+\/__init__\.py$/.test(pathFrom(folder, file) ?? ''))
  return has ? 'PYTHONPATH=src ' : ''
}

/** The runner looks into folders that are no packages only when it is told to. */
const startOf = (file: string | null): string =>
  file?.includes('/') ? ` -s ${file.split('/')[0] ?? ''}` : ''

/** The members of a workspace of uv. */
async function members(checkout: CheckoutFiles, folder: string): Promise<readonly Guess<string>[]> {
  const text = (await checkout.read(inFolder(folder, 'pyproject.toml'))) ?? ''
  const list = /^\[tool\.uv\.workspace\]\s*(?:[^[]*\n)??members\s*=\s*\[([^\]]*)\]/m.exec(text)?.[1] ?? ''
  return listedMembers(checkout, folder, { manifest: 'pyproject.toml', list })
}

export const python: Toolchain = {
  name: 'python',
  manifest: /^(pyproject\.toml|setup\.cfg|setup\.py|requirements\.txt|Pipfile)$/,
  lock: /^(uv\.lock|poetry\.lock|pdm\.lock|Pipfile\.lock|requirements\.txt)$/,
  detect: detectPython,
}
