import { inFolder, type CheckoutFiles, isIgnored } from '../evidence/checkout.ts'
import type { DetectedTools } from '../evidence/detection.ts'

export interface PythonEnvironment extends Pick<DetectedTools, 'share' | 'setup' | 'notes'> {
  /** Before the name of a module to run. */
  readonly prefix: string
}

interface Locked {
  readonly lock: string
  readonly setup: string
  readonly prefix: string
}

/** Each keeps its environment in the workspace, so that one is not shared with the person's checkout. */
const managers: readonly Locked[] = [
  // Run without --no-sync: it notices that the project's own code stands elsewhere than at the setup.
  { lock: 'uv.lock', setup: 'uv sync --frozen', prefix: 'uv run --frozen python -m ' },
  {
    lock: 'poetry.lock',
    setup: 'POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction',
    prefix: 'poetry run python -m ',
  },
  { lock: 'pdm.lock', setup: 'pdm sync', prefix: 'pdm run python -m ' },
  {
    lock: 'Pipfile.lock',
    setup: 'PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev',
    prefix: 'pipenv run python -m ',
  },
]
const requirements = [
  'requirements.txt',
  'requirements-dev.txt',
  'dev-requirements.txt',
  'requirements-test.txt',
]

/** What starts a Python tool here, and where its packages come from. */
export async function pythonEnvironment(checkout: CheckoutFiles, folder: string): Promise<PythonEnvironment> {
  for (const name of ['.venv', 'venv']) {
    const path = inFolder(folder, name)
    if (!(await checkout.hasFolder(path)) || !(await isIgnored(checkout, folder, name))) continue
    const share = [{ value: path, why: 'a virtual environment, ignored by git' }]
    // Its scripts name the place it was made in; its interpreter works from a copy too.
    return { prefix: `${name}/bin/python -m `, share, setup: null, notes: [] }
  }
  for (const { lock, setup, prefix } of managers) {
    const path = inFolder(folder, lock)
    if (!(await checkout.hasFile(path))) continue
    const groups = lock === 'uv.lock' ? await uvGroups(checkout, folder) : ''
    const named = (line: string): string => line.replace('--frozen', `--frozen${groups}`)
    return { prefix: named(prefix), share: [], setup: { value: named(setup), why: path }, notes: [] }
  }
  return fromRequirements(checkout, folder)
}

const checkingTools = ['pytest', 'mypy', 'pyright', 'ruff', 'flake8', 'pylint']

/** uv installs only its default groups: those that hold the tools of checks have to be named, and so have extras. */
async function uvGroups(checkout: CheckoutFiles, folder: string): Promise<string> {
  const text = (await checkout.read(inFolder(folder, 'pyproject.toml'))) ?? ''
  const defaults = /^default-groups\s*=\s*\[([^\]]*)\]/m.exec(text)?.[1] ?? '"dev"'
  const listsIn = (section: string, flag: '--group' | '--extra') =>
    [...sectionOf(text, section).matchAll(/^["']?([\w.-]+)["']?\s*=\s*\[([^\]]*)\]/gm)].map(
      ([, name = '', list = '']) => ({
        list,
        flag: `${flag} ${name}`,
        isGiven: flag === '--group' && defaults.includes(`"${name}"`),
      }),
    )
  const lists = [
    ...listsIn('dependency-groups', '--group'),
    ...listsIn('project.optional-dependencies', '--extra'),
  ]
  const wanted = checkingTools.flatMap((tool) => {
    const having = lists.filter(({ list }) => new RegExp(`["']${tool}(?![\\w-])`).test(list))
    return having.some(({ isGiven }) => isGiven) ? [] : having.slice(0, 1)
  })
  return [...new Set(wanted)].map(({ flag }) => ` ${flag}`).join('')
}

/** The lines of a table of TOML. */
const sectionOf = (text: string, name: string): string =>
  text.split(/^(?=\[[^[\]"]+\]\s*$)/m).find((part) => part.startsWith(`[${name}]`)) ?? ''

async function fromRequirements(checkout: CheckoutFiles, folder: string): Promise<PythonEnvironment> {
  const files: string[] = []
  for (const file of requirements) if (await checkout.hasFile(inFolder(folder, file))) files.push(file)
  if (files.length > 0) {
    const install = `.venv/bin/python -m pip install --quiet ${files.map((file) => `-r ${file}`).join(' ')}`
    const why = `${files.map((file) => inFolder(folder, file)).join(', ')}, and no virtual environment is here to share`
    return {
      prefix: '.venv/bin/python -m ',
      share: [],
      setup: { value: `python3 -m venv .venv && ${install}`, why },
      notes: [],
    }
  }
  const declares =
    /^dependencies\s*=\s*\[\s*["']|^\[(project\.optional-dependencies|dependency-groups|tool\.poetry)/m
  const project = inFolder(folder, 'pyproject.toml')
  const notes = declares.test((await checkout.read(project)) ?? '')
    ? [`${project} has dependencies and no lock file: the packages must be installed for python3 already`]
    : []
  return { prefix: 'python3 -m ', share: [], setup: null, notes }
}
