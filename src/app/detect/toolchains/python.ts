import { inFolder, type Checkout } from './checkout.ts'
import { nothingFound, type Found, type GuessedCommand, type Guess } from './detection.ts'
import { isIgnored } from './ignored.ts'

type Evidence = readonly [file: string, pattern: RegExp | null]

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
    'setup.cfg',
    'Pipfile',
  ].map((file) => [file, new RegExp(`^[\\s"']*${name}\\b(?!-)`, 'm')] as const)
const pytest: readonly Evidence[] = [
  ['pytest.ini', null],
  ['conftest.py', null],
  ['tests/conftest.py', null],
  ['pyproject.toml', /^\[tool\.pytest/m],
  ['setup.cfg', /^\[tool:pytest\]/m],
  ['tox.ini', /^\[pytest\]/m],
  ...dependsOn('pytest'),
]
const ruff: readonly Evidence[] = [
  ['ruff.toml', null],
  ['.ruff.toml', null],
  ['pyproject.toml', /^\[tool\.ruff\b/m],
]
const mypy: readonly Evidence[] = [
  ['mypy.ini', null],
  ['pyproject.toml', /^\[tool\.mypy\b/m],
  ['setup.cfg', /^\[mypy\]/m],
]

/** Commands and the virtual environment of the Python project in one folder. */
export async function detectPython(checkout: Checkout, folder: string): Promise<Found> {
  const project = await firstEvidence(
    checkout,
    folder,
    marks.map((file) => [file, null] as const),
  )
  const tests = checkout.files.find((file) => /^(tests?\/)?test_[^/]*\.py$/.test(pathIn(file, folder) ?? ''))
  if (!project && !tests) return nothingFound
  const { prefix, share, setup } = await environment(checkout, folder)
  const commands: GuessedCommand[] = []
  const add = (name: string, run: string, why: string | null): void => {
    if (why !== null) commands.push({ name, run, paths: [], why })
  }
  const usesPytest = await firstEvidence(checkout, folder, pytest)
  const usesTox = await firstEvidence(checkout, folder, [['tox.ini', null]])
  if (usesPytest) add('test', `${prefix}pytest`, usesPytest)
  else if (usesTox) add('test', 'tox', usesTox)
  else if (tests)
    add(
      'test',
      `${prefix}unittest discover${startOf(pathIn(tests, folder))}`,
      `${tests}, and no sign of pytest`,
    )
  add(
    'lint',
    prefix.startsWith('python') ? 'ruff check .' : `${prefix}ruff check .`,
    await firstEvidence(checkout, folder, ruff),
  )
  add('typecheck', `${prefix}mypy .`, await firstEvidence(checkout, folder, mypy))
  return { ...nothingFound, commands, share, setup }
}

/** What starts a Python tool here, and where its packages come from. */
async function environment(
  checkout: Checkout,
  folder: string,
): Promise<Pick<Found, 'share' | 'setup'> & { readonly prefix: string }> {
  for (const name of ['.venv', 'venv']) {
    const path = inFolder(folder, name)
    if (!(await checkout.hasFolder(path)) || !(await isIgnored(checkout, folder, name))) continue
    const share: Guess<string>[] = [{ value: path, why: 'a virtual environment, ignored by git' }]
    // Its scripts name the place it was made in; its interpreter works from a copy too.
    return { prefix: `${name}/bin/python -m `, share, setup: null }
  }
  const lock = (file: string): Promise<boolean> => checkout.hasFile(inFolder(folder, file))
  if (await lock('uv.lock'))
    return { prefix: 'uv run python -m ', share: [], setup: { value: 'uv sync --frozen', why: 'uv.lock' } }
  if (await lock('poetry.lock'))
    return {
      prefix: 'poetry run python -m ',
      share: [],
      setup: { value: 'poetry install --no-interaction', why: 'poetry.lock' },
    }
  return { prefix: 'python3 -m ', share: [], setup: null }
}

async function firstEvidence(
  checkout: Checkout,
  folder: string,
  evidence: readonly Evidence[],
): Promise<string | null> {
  for (const [name, pattern] of evidence) {
    const path = inFolder(folder, name)
    if (!pattern && (await checkout.hasFile(path))) return path
    const line = pattern?.exec((await checkout.read(path)) ?? '')?.[0].trim()
    if (line) return `${line.replace(/^["']/, '')} in ${path}`
  }
  return null
}

const pathIn = (file: string, folder: string): string | null =>
  folder === '' ? file : file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : null

/** The runner looks into folders that are no packages only when it is told to. */
const startOf = (file: string | null): string =>
  file?.includes('/') ? ` -s ${file.split('/')[0] ?? ''}` : ''
